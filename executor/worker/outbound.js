// Outbound requests, loaded by the first. Bodies stream both ways in chunks, each of which its receiver asks for; what is
// small or whole crosses with its head.
//
//   send(init)     a promise of {status, statusText, headers, url, redirected, body}. init is {url, method, headers:
//                  [[name, value]...], redirect, body, control}; a body of either direction is undefined, a Uint8Array, or a
//                  source {pull(), cancel(reason)}, whose pull is a promise of a Uint8Array, and of undefined at the end.
//                  control, if given, gets cancel(reason), and its ended() is called when the response is whole or given up
//   receive(id, text)  Go's side: one step of a request, its bytes with takeBytes
//   renew()        forgets all requests, for the next call on a retained run
(function (host) {
  'use strict';
  const p = host.primordials;
  const { native, state } = host;
  const PENDING = 1;
  const CHUNK = 1 << 16;
  const requests = new p.SafeMap();

  const tell = (id, message, bytes) => native.fetch(id, p.JSONStringify(message), bytes === undefined ? 0 : host.putBytes(bytes));
  const step = (name) => ({ __proto__: null, step: name });
  const sizeOf = p.TypedArrayPrototypeGetLength;

  // finish takes a request off the books: nothing more comes of it.
  const finish = (r) => {
    requests.delete(r.id);
    host.leave();
    r.control?.ended?.();
  };
  const answer = (r, head, body) => {
    state[PENDING]--;
    const { promise, resolve, reject } = r.head;
    r.head = undefined;
    if (head === undefined) {
      reject(body);
      return promise;
    }
    head.headers ??= p.list();
    head.body = body;
    resolve(head); // it has no prototype, and so no then of the program's
    return promise;
  };

  // The response's body.
  const take = (r) => {
    const first = r.chunks[0];
    for (let i = 1; i < r.chunks.length; i++) r.chunks[i - 1] = r.chunks[i];
    r.chunks.length--;
    return first;
  };
  const wake = (r) => {
    const { reading } = r;
    if (reading === undefined || (r.chunks.length === 0 && !r.ended)) return;
    r.reading = undefined;
    state[PENDING]--;
    if (r.chunks.length > 0) reading.resolve(take(r));
    else if (r.failed) reading.reject(r.error);
    else reading.resolve(undefined);
  };
  const pull = (r) => {
    const reading = host.deferred();
    r.reading = reading;
    state[PENDING]++;
    if (r.chunks.length === 0 && !r.ended) tell(r.id, step('pull'));
    else wake(r);
    return reading.promise;
  };
  const end = (r, failed, error) => {
    r.ended = true;
    r.failed = failed;
    r.error = error;
    finish(r);
    wake(r);
  };
  const cancel = (r, reason) => {
    if (requests.get(r.id) !== r) return;
    tell(r.id, step('cancel'));
    if (r.upload?.cancel !== undefined) r.upload.cancel(reason);
    if (r.head !== undefined) answer(r, undefined, reason);
    r.chunks.length = 0;
    end(r, true, reason);
  };

  // The request's body, a chunk whenever the host wants one. A higher round is one from the start.
  const upload = (r, name, bytes, message) => tell(r.id, { __proto__: null, step: name, round: r.round, message }, bytes);
  const feedBytes = (r) => {
    const from = r.offset;
    const size = sizeOf(r.upload);
    r.offset = p.MathMin(size, from + CHUNK);
    upload(r, r.offset === size ? 'bodyEnd' : 'body', p.TypedArrayPrototypeSubarray(r.upload, from, r.offset));
  };
  const feedPart = (r) => {
    const { rest } = r;
    const part = sizeOf(rest) > CHUNK ? p.TypedArrayPrototypeSubarray(rest, 0, CHUNK) : rest;
    r.rest = part === rest ? undefined : p.TypedArrayPrototypeSubarray(rest, CHUNK);
    upload(r, 'body', part);
  };
  const feedSource = async (r) => {
    try {
      while (r.rest === undefined || sizeOf(r.rest) === 0) {
        r.rest = await r.upload.pull();
        if (r.rest === undefined) break;
      }
    } catch (error) {
      upload(r, 'bodyError', undefined, 'the body of the request failed');
      if (r.head !== undefined) {
        answer(r, undefined, error);
        end(r, true, error);
      }
      return;
    }
    if (requests.get(r.id) !== r) return;
    if (r.rest === undefined) upload(r, 'bodyEnd');
    else feedPart(r);
  };
  const feed = (r, round) => {
    if (r.upload === undefined) return;
    if (round !== r.round) {
      r.round = round;
      r.offset = 0;
    }
    if (r.upload.pull === undefined) feedBytes(r);
    else if (r.rest !== undefined) feedPart(r);
    else feedSource(r);
  };

  const checked = (init) => {
    const max = host.limits;
    if (init.body !== undefined && init.body !== null && init.body.pull === undefined && sizeOf(init.body) > max.argumentBytes) {
      throw host.limitError('argumentBytes', `the body of a request is too large: at most ${max.argumentBytes} bytes; a stream may have more`);
    }
    if (!host.enter()) throw host.limitError('callsInFlight', `too many calls and requests at one time: at most ${max.callsInFlight} may be unanswered`);
  };
  const send = (init) => {
    try {
      checked(init);
    } catch (error) {
      return p.PromiseReject(error);
    }
    const r = {
      __proto__: null, id: host.nextId(), head: host.deferred(), chunks: p.list(), reading: undefined, ended: false, failed: false, error: undefined,
      upload: undefined, round: 0, offset: 0, rest: undefined, control: init.control,
    };
    requests.set(r.id, r);
    state[PENDING]++;
    if (r.control !== undefined) r.control.cancel = (reason) => cancel(r, reason);
    const head = { __proto__: null, url: init.url, method: init.method, headers: init.headers, redirect: init.redirect ?? 'follow', hasBody: false };
    let inline;
    if (init.body !== undefined && init.body !== null) {
      head.hasBody = true;
      if (init.body.pull !== undefined) head.upload = 'stream';
      else if (sizeOf(init.body) > CHUNK) head.upload = 'bytes';
      else inline = init.body;
      if (head.upload !== undefined) r.upload = init.body;
      if (head.upload === 'bytes') head.size = sizeOf(init.body);
    }
    const { promise } = r.head;
    tell(r.id, head, inline);
    return promise;
  };

  const receive = (id, text) => {
    const r = requests.get(id);
    if (r === undefined) return;
    const head = p.JSONParse(text);
    p.ObjectSetPrototypeOf(head, null);
    switch (head.step) {
      case undefined:
        if (head.error === undefined) answer(r, head, host.takeBytes());
        else answer(r, undefined, new p.Error(head.error));
        finish(r);
        break;
      case 'head':
        answer(r, head, { __proto__: null, pull: () => pull(r), cancel: (reason) => cancel(r, reason) });
        break;
      case 'chunk':
        r.chunks[r.chunks.length] = host.takeBytes();
        wake(r);
        break;
      case 'end':
        end(r, false, undefined);
        break;
      case 'error':
        end(r, true, new p.Error(head.error));
        break;
      default:
        feed(r, head.round ?? 0);
    }
  };
  const renew = (reason) => {
    requests.forEach((r) => {
      if (r.head !== undefined) r.head.reject(reason);
      r.reading?.reject(reason);
      r.ended = r.failed = true;
      r.error = reason;
    });
    requests.clear();
  };
  return { __proto__: null, send, receive, renew };
})
