// fetch: data: URLs by itself, http and https through host.outbound. Ops: dataURLType(url) → content
// type, or nil for a URL without one; dataURLBytes(url) → bytes.
// Offers fetched, which is fetch whatever the program has made of the global.
// Globals: fetch
(function (host) {
  'use strict';
  const P = host.primordials;
  const { Error, TypeError, PromiseResolve, PromiseReject, newPromise, then, list, StringPrototypeStartsWith } = P;
  const { missing, wrong, isObject, exposeFunction } = host.load('idl');
  const { consume, bodyOf, setBody, headersOf } = host.load('55_body');
  const { newRequest, stateOf, makeResponse } = host.load('56_request');
  const H = host.load('54_headers');

  const blocked = "This worker is not permitted to access the internet via global functions like fetch(). It must use capabilities (such as bindings in 'env') to talk to the outside world.";
  const cannotLoad = (url) => new TypeError(`Fetch API cannot load: ${url}`);

  const fetchData = (url) => {
    const type = host.ops.dataURLType(url);
    if (type === undefined || type === null) throw cannotLoad(url);
    const bytes = host.ops.dataURLBytes(url);
    const headers = list();
    headers[0] = list();
    headers[0][0] = 'content-type';
    headers[0][1] = type;
    return makeResponse({ status: 200, statusText: 'OK', headers, bytes, url: '', redirected: false });
  };

  // A stream is read as it leaves, and a response that is not whole yet has one.
  const outgoing = (body) => {
    if (body === null) return PromiseResolve(null);
    if (body.stream === undefined || body.used) return consume(body);
    body.used = true;
    return PromiseResolve(host.load('fetch_body').sourceOf(body.stream));
  };
  const incoming = (answer, state) => {
    const streams = answer.body?.pull !== undefined;
    const response = makeResponse({
      status: answer.status, statusText: answer.statusText, headers: answer.headers, bytes: streams ? undefined : answer.body ?? undefined,
      url: answer.url ?? state.url, redirected: !!answer.redirected,
    });
    if (streams) setBody(response, { __proto__: null, bytes: undefined, stream: host.load('fetch_body').streamOfSource(answer.body), used: false, type: undefined });
    return response;
  };
  const send = (request, state, control) => then(outgoing(bodyOf(request)), (body) => {
    if (control.aborted) return undefined;
    const init = { __proto__: null, url: withoutFragment(state.url), method: state.method, headers: H.pairsOf(headersOf(request)), body, redirect: state.redirect, control };
    return then(host.outbound(init), (answer) => incoming(answer, state));
  });

  const withoutFragment = (url) => {
    const at = P.StringPrototypeIndexOf(url, '#');
    return at < 0 ? url : P.StringPrototypeSlice(url, 0, at);
  };

  // The outcome of work, unless the signal aborts first.
  const abortable = (signal, work) => {
    const control = { __proto__: null, aborted: false, cancel: undefined, ended: undefined };
    if (signal === undefined) return work(control);
    const abort = host.load('32_abort');
    if (abort.isAborted(signal)) return PromiseReject(abort.reasonOf(signal));
    return newPromise((resolve, reject) => {
      const off = abort.onAbort(signal, () => {
        control.aborted = true;
        reject(abort.reasonOf(signal));
        control.cancel?.(abort.reasonOf(signal)); // of a response whose body is still on its way, too
      });
      control.ended = off;
      then(work(control), resolve, (error) => { off(); reject(error); });
    });
  };

  const start = (input, init) => {
    const request = newRequest(input, init);
    const state = stateOf(request);
    if (StringPrototypeStartsWith(state.url, 'data:')) return abortable(state.signal, () => PromiseResolve(fetchData(state.url)));
    if (!StringPrototypeStartsWith(state.url, 'http:') && !StringPrototypeStartsWith(state.url, 'https:')) throw cannotLoad(state.url);
    return abortable(state.signal, (control) => (host.outboundMode === 'blocked' || host.outbound === undefined ? PromiseReject(new Error(blocked)) : send(request, state, control)));
  };

  const { fetch } = {
    fetch(input, init = undefined) {
      try {
        missing(arguments.length, 'fetch', 'ServiceWorkerGlobalScope', ['Request or string']);
        if (init !== undefined && init !== null && !isObject(init)) throw wrong('fetch', 'ServiceWorkerGlobalScope', 2, 'RequestInitializerDict or Request');
        return start(input, init);
      } catch (error) {
        return PromiseReject(error);
      }
    },
  };
  host.define('fetch', exposeFunction(fetch), { enumerable: true });
  return { __proto__: null, fetched: fetch };
})
