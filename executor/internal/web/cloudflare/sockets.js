// cloudflare:sockets. No program connects: an address is checked and the connection then refused, with the words of the
// reference for a program without network, and for one whose requests go to the host.
(function (host) {
  'use strict';
  const blocked = 'This worker is not permitted to access the internet via global functions like fetch(). It must use capabilities (such as bindings in \'env\') to talk to the outside world.';
  const proxied = 'proxy request failed, cannot connect to the specified address. It looks like you might be trying to connect to a HTTP-based service \u2014 consider using fetch instead';
  const refusal = () => new Error(host.outboundMode === 'open' ? proxied : blocked);
  const rejected = () => {
    const promise = Promise.reject(refusal());
    promise.catch(() => {});
    return promise;
  };

  class Socket {
    #opened = rejected();
    #closed = rejected();
    #readable = new ReadableStream({ start: (controller) => controller.error(refusal()) });
    #writable = new WritableStream({ start: (controller) => controller.error(refusal()) });
    get readable() { return this.#readable; }
    get writable() { return this.#writable; }
    get closed() { return this.#closed; }
    get opened() { return this.#opened; }
    get upgraded() { return false; }
    get secureTransport() { return 'off'; }
    async close() {}
    startTls() { throw refusal(); }
  }
  const connect = (address) => {
    if (address === undefined || address === null) throw new TypeError('Cannot initialize N7workerd3api13SocketAddressE with required members from an undefined or null value.');
    const text = typeof address === 'object' ? `${address.hostname}:${address.port}` : `${address}`;
    if (!/:\d+$/.test(text)) throw new TypeError('Specified address is missing port.');
    if (host.outboundMode !== 'open') throw refusal();
    return new Socket();
  };
  return Object.defineProperty({
    connect,
    internalNewHttpClient: async () => { throw refusal(); },
  }, 'refusal', { value: refusal });
})
