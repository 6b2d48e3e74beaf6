// What HTMLRewriter does to a document: the handlers' content tokens, and the text that comes out.
(function (host) {
  'use strict';
  const { tokens, parseSelector } = host.load('cloudflare/html');
  const voids = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
  const escape = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
  const contentOf = (content, options) => (options?.html ? `${content}` : escape(`${content}`));
  const stale = () => new TypeError('This content token is no longer valid. Content tokens are only valid during the execution of the relevant content handler.');

  // What handlers are given: state is the token's own, taken away when its handler is done.
  class Content {
    #state;
    constructor(state) { this.#state = state; }
    static stateOf(content) {
      if (content.#state === undefined) throw stale();
      return content.#state;
    }
    static end(content) { content.#state = undefined; }
    before(content, options = undefined) {
      Content.stateOf(this).before += contentOf(content, options);
      return this;
    }
    after(content, options = undefined) {
      const state = Content.stateOf(this);
      state.after = contentOf(content, options) + state.after;
      return this;
    }
    replace(content, options = undefined) {
      const state = Content.stateOf(this);
      state.removed = true;
      state.replacement = contentOf(content, options);
      return this;
    }
    remove() {
      const state = Content.stateOf(this);
      state.removed = true;
      state.replacement = '';
      return this;
    }
    get removed() { return Content.stateOf(this).removed; }
  }
  const { stateOf } = Content;
  const fresh = (more) => ({ before: '', after: '', removed: false, replacement: '', ...more });

  class Element extends Content {
    get tagName() { return stateOf(this).token.name; }
    set tagName(name) {
      const state = stateOf(this);
      state.token = { ...state.token, name: `${name}`, tag: `${name}` };
      state.changed = true;
    }
    get attributes() { return stateOf(this).token.attributes.map(({ name, value }) => [name, value])[Symbol.iterator](); }
    get namespaceURI() { return 'http://www.w3.org/1999/xhtml'; }
    getAttribute(name) { return stateOf(this).token.attributes.find((a) => a.name === `${name}`.toLowerCase())?.value ?? null; }
    hasAttribute(name) { return this.getAttribute(name) !== null; }
    setAttribute(name, value) {
      const state = stateOf(this);
      name = `${name}`.toLowerCase();
      if (name === '') throw new TypeError('Parser error: Attribute name can\'t be empty.');
      const bad = /[\s/>=]/.exec(name);
      if (bad !== null) throw new TypeError(`Parser error: \`${bad[0]}\` character is forbidden in the attribute name`);
      const attribute = { name, value: `${value}`, raw: `${name}="${`${value}`.replaceAll('"', '&quot;')}"` };
      const at = state.token.attributes.findIndex((a) => a.name === name);
      if (at < 0) state.token.attributes.push(attribute);
      else state.token.attributes[at] = attribute;
      state.changed = true;
      return this;
    }
    removeAttribute(name) {
      const state = stateOf(this);
      state.token.attributes = state.token.attributes.filter((a) => a.name !== `${name}`.toLowerCase());
      state.changed = true;
      return this;
    }
    prepend(content, options = undefined) {
      const state = stateOf(this);
      state.prepended = contentOf(content, options) + state.prepended;
      return this;
    }
    append(content, options = undefined) {
      stateOf(this).appended += contentOf(content, options);
      return this;
    }
    setInnerContent(content, options = undefined) {
      stateOf(this).inner = contentOf(content, options);
      return this;
    }
    removeAndKeepContent() {
      const state = stateOf(this);
      state.removed = true;
      state.keeps = true;
      return this;
    }
    onEndTag(handler) {
      const state = stateOf(this);
      if (state.isVoid) throw new TypeError('Parser error: No end tag.');
      state.onEnd.push(handler);
    }
  }
  class EndTag extends Content {
    get name() { return stateOf(this).name; }
    set name(name) { Object.assign(stateOf(this), { name: `${name}`, changed: true }); }
  }
  class Comment extends Content {
    get text() { return stateOf(this).text; }
    set text(text) { Object.assign(stateOf(this), { text: `${text}`, changed: true }); }
  }
  class Text extends Content {
    get text() { return stateOf(this).text; }
    get lastInTextNode() { return stateOf(this).last; }
  }
  class Doctype extends Content {
    get name() { return stateOf(this).token.name; }
    get publicId() { return stateOf(this).token.publicId; }
    get systemId() { return stateOf(this).token.systemId; }
  }
  class DocumentEnd extends Content {
    append(content, options = undefined) {
      stateOf(this).after += contentOf(content, options);
      return this;
    }
  }
  const give = async (content, handlers) => {
    try {
      for (const [object, name] of handlers) if (typeof object[name] === 'function') await object[name](content);
    } finally {
      Content.end(content);
    }
  };
  const render = (state, text) => state.before + (state.removed ? state.replacement : text) + state.after;

  // rewrite(text, elementHandlers [[matches, handlers]…], documentHandlers [handlers…]) → the new text.
  const rewrite = async (text, elementHandlers, documentHandlers) => {
    let out = '';
    const root = { children: 0, types: new Map() };
    const stack = []; // the open elements, each with what its end tag must do
    let hidden = 0;   // how many open elements have lost their content
    const write = (piece) => { if (hidden === 0) out += piece; };
    const handlersFor = (name) => {
      const chosen = [];
      for (const [matches, handlers] of elementHandlers) if (stack.some((element) => matches(element))) chosen.push([handlers, name]);
      return [...chosen, ...documentHandlers.map((handlers) => [handlers, name])];
    };
    const leaf = async (Class, state, name, raw) => {
      const handlers = name === 'doctype' || name === 'end' ? documentHandlers.map((h) => [h, name]) : handlersFor(name);
      if (hidden === 0 && handlers.length > 0) await give(new Class(state), handlers);
      write(render(state, raw(state)));
    };
    const start = async (token) => {
      const parent = stack.at(-1) ?? root;
      parent.children++;
      parent.types.set(token.name, (parent.types.get(token.name) ?? 0) + 1);
      const element = {
        name: token.name, attributes: token.attributes, parent: stack.at(-1), index: parent.children, typeIndex: parent.types.get(token.name), children: 0, types: new Map(), tag: token.name,
      };
      const isVoid = voids.has(token.name);
      const state = fresh({ token: { ...token, attributes: token.attributes.slice() }, changed: false, prepended: '', appended: '', inner: undefined, keeps: false, isVoid, onEnd: [] });
      const handlers = elementHandlers.filter(([matches]) => matches(element)).map(([, h]) => [h, 'element']);
      if (hidden === 0 && handlers.length > 0) await give(new Element(state), handlers);
      const { tag, attributes, selfClosing } = state.token;
      const raw = state.changed ? `<${tag}${attributes.map((a) => ` ${a.raw}`).join('')}${selfClosing ? ' /' : ''}>` : token.raw;
      write(state.before + (state.removed ? state.replacement : raw));
      if (isVoid) {
        write(state.after);
        return;
      }
      const drops = state.inner !== undefined || state.removed && !state.keeps;
      if (!(state.removed && !state.keeps)) write(state.prepended + (state.inner ?? ''));
      if (drops) hidden++;
      stack.push(Object.assign(element, { state, drops }));
    };
    const close = async (element, token) => {
      const { state } = element;
      if (element.drops) hidden--;
      const end = fresh({ name: state.token.tag, changed: state.token.tag.toLowerCase() !== element.tag });
      if (token !== undefined && hidden === 0 && state.onEnd.length > 0) {
        const content = new EndTag(end);
        try {
          for (const handler of state.onEnd) await handler(content);
        } finally {
          Content.end(content);
        }
      }
      if (!(state.removed && !state.keeps)) write(state.appended);
      if (token !== undefined && !state.removed) write(render(end, end.changed ? `</${end.name}>` : token.raw));
      write(state.after);
    };
    for (const token of tokens(text)) {
      if (token.kind === 'text') {
        await leaf(Text, fresh({ text: token.raw, last: false }), 'text', (state) => state.text);
        await leaf(Text, fresh({ text: '', last: true }), 'text', () => '');
      } else if (token.kind === 'comment') await leaf(Comment, fresh({ text: token.text, changed: false }), 'comments', (state) => (state.changed ? `<!--${state.text}-->` : token.raw));
      else if (token.kind === 'doctype') await leaf(Doctype, fresh({ token }), 'doctype', () => token.raw);
      else if (token.kind === 'start') await start(token);
      else {
        const at = stack.findLastIndex((element) => element.name === token.name);
        if (at < 0) write(token.raw);
        else {
          while (stack.length > at + 1) await close(stack.pop(), undefined);
          await close(stack.pop(), token);
        }
      }
    }
    while (stack.length > 0) await close(stack.pop(), undefined);
    await leaf(DocumentEnd, fresh({}), 'end', () => '');
    return out;
  };

  // transform is the method of HTMLRewriter: a Response with the rewritten body.
  const transform = (response, elementHandlers, documentHandlers) => {
    if (response.body === null) return new Response(null, response);
    const body = new ReadableStream({
      async pull(controller) {
        const text = await rewrite(await response.text(), elementHandlers, documentHandlers);
        if (text !== '') controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    return new Response(body, { status: response.status, statusText: response.statusText, headers });
  };
  return { transform, parseSelector };
})
