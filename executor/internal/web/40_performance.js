// performance: the monotonic clock. The reference has no marks and measures, and counts from 1970. Uses host.now and host.timeOrigin.
// Globals: performance
(function (host) {
  'use strict';
  const { expose, receiver, illegal } = host.load('idl');

  class Implementation {
    #brand;
    get timeOrigin() { #brand in receiver(this) || illegal(); return 0; }
    now() { #brand in receiver(this) || illegal(); return host.timeOrigin + host.now(); }
  }
  expose('Performance', Implementation, { constructible: false });
  host.define('performance', new Implementation(), { enumerable: true });
})
