// navigator.
// Globals: navigator Navigator
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, missing, string } = host.load('idl');

  class Implementation {
    #brand;

    constructor() {
      const fixed = (key, value) => P.ObjectDefineProperty(this, key, { __proto__: null, value, writable: false, enumerable: true, configurable: true });
      fixed('languages', ['en']);
      fixed('language', 'en');
      fixed('platform', '');
      fixed('hardwareConcurrency', 1);
      fixed('userAgent', 'Cloudflare-Workers');
    }

    sendBeacon(url) {
      #brand in receiver(this) || illegal();
      missing(arguments.length, 'sendBeacon', 'Navigator', ['string']);
      string(url);
      return false; // a sandbox has no requests that outlive it
    }
  }
  host.define('Navigator', expose('Navigator', Implementation, { constructible: false }), { enumerable: true });
  host.define('navigator', new Implementation(), { enumerable: true });
})
