// Package differential holds what we share with the real reference's code, rather than with its runtime, against that
// code: normalizeCode and sanitizeToolName over thousands of generated snippets, generateTypesFromJsonSchema over the
// tools of real servers, and codeMcpServer over its recorded answers. It has tests alone; node asks the npm package of
// compat/reference, with a stub for what only the Workers runtime has.
//
// A difference is either one that a named rule explains, and proves, or a failure.
package differential
