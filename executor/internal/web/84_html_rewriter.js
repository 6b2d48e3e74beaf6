// HTMLRewriter. The work is in cloudflare/html_rewriter.js.
// Globals: HTMLRewriter
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, missing, wrong, string, isObject } = host.load('idl');

  class Implementation {
    #elements = [];
    #documents = [];

    on(selector, handlers) {
      #elements in receiver(this) || illegal();
      missing(arguments.length, 'on', 'HTMLRewriter', ['string', 'ElementContentHandlers']);
      const matches = host.load('cloudflare/html_rewriter').parseSelector(string(selector));
      if (!isObject(handlers)) throw wrong('on', 'HTMLRewriter', 2, 'ElementContentHandlers');
      P.push(this.#elements, [matches, handlers]);
      return this;
    }
    onDocument(handlers) {
      #elements in receiver(this) || illegal();
      missing(arguments.length, 'onDocument', 'HTMLRewriter', ['DocumentContentHandlers']);
      if (!isObject(handlers)) throw wrong('onDocument', 'HTMLRewriter', 1, 'DocumentContentHandlers');
      P.push(this.#documents, handlers);
      return this;
    }
    transform(response) {
      #elements in receiver(this) || illegal();
      if (!(response instanceof globalThis.Response)) throw wrong('transform', 'HTMLRewriter', 1, 'Response');
      return host.load('cloudflare/html_rewriter').transform(response, P.toArray(this.#elements), P.toArray(this.#documents));
    }
  }
  host.define('HTMLRewriter', expose('HTMLRewriter', Implementation), { enumerable: true });
})
