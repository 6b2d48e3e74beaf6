// The platform's own objects as util.inspect shows them: the pairs of those that are lists of pairs, the readable
// attributes of the rest.
(function (host) {
  'use strict';
  // The name of the interface that a prototype is of, undefined for none.
  const interfaceOf = (prototype) => (prototype === null ? undefined : host.load('idl').interfaces.get(prototype)?.name ?? interfaceOf(Object.getPrototypeOf(prototype)));
  const isList = (name) => name === 'Headers' || name === 'URLSearchParams' || name === 'FormData';
  const attributesOf = (value) => {
    const keys = [];
    for (let at = Object.getPrototypeOf(value); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (property.get !== undefined && property.enumerable && !keys.includes(key) && !Object.hasOwn(value, key)) keys.push(key);
      }
    }
    return keys;
  };
  return { interfaceOf, isList, attributesOf };
})
