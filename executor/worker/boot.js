// What makes a sandbox of an isolate: it runs the scripts that every sandbox has, which are compiled in one piece with it.
//
// (scripts, waiting, go, ops) -> host. scripts are their functions, the primordials', the host's and the scopes' first; the others are
// 10_host.js's.
(function (scripts, waiting, go, ops) {
  'use strict';
  const [makePrimordials, makeHost, ...rest] = scripts;
  const host = makeHost(makePrimordials(), go, ops);
  host.prepare(rest, waiting);
  return host;
})
