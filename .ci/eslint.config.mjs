// Lint of every JavaScript file of the repository. The rules find mistakes; the layout is each author's.
const shared = {
  'no-undef': 'error',
  'no-unused-vars': ['error', { args: 'after-used', argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
  'no-redeclare': 'error',
  'no-dupe-keys': 'error',
  'no-dupe-args': 'error',
  'no-unreachable': 'error',
  'no-fallthrough': 'error',
  'no-self-assign': 'error',
  'no-const-assign': 'error',
  'use-isnan': 'error',
  'valid-typeof': 'error',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
};

const names = (list, value) => Object.fromEntries(list.split(' ').map((name) => [name, value]));

const ecmascript = names(
  'globalThis Object Function Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry Promise Proxy Reflect Symbol ' +
    'String Number Boolean BigInt Math Date RegExp JSON Intl Error TypeError RangeError SyntaxError ReferenceError ' +
    'EvalError URIError AggregateError SuppressedError ArrayBuffer SharedArrayBuffer DataView Atomics Iterator ' +
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array ' +
    'Float64Array BigInt64Array BigUint64Array WebAssembly undefined NaN Infinity isNaN isFinite parseInt parseFloat ' +
    'encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape',
  'readonly',
);
const web = names(
  'console URL URLSearchParams TextEncoder TextDecoder atob btoa structuredClone queueMicrotask setTimeout clearTimeout ' +
    'setInterval clearInterval fetch Request Response Headers Event EventTarget AbortController AbortSignal performance crypto',
  'readonly',
);
const node = names('process Buffer', 'readonly');

export default [
  { ignores: ['**/node_modules/**', '**/testdata/**'] },
  {
    files: ['executor/**/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'script', globals: ecmascript },
    rules: shared,
  },
  {
    files: ['compat/**/*.js', 'compat/**/*.mjs', '.ci/*.mjs'],
    languageOptions: {
      ecmaVersion: 'latest', sourceType: 'module',
      globals: { ...ecmascript, ...web, ...node, ...names('ReadableStream TransformStream CompressionStream DecompressionStream', 'readonly') },
    },
    rules: shared,
  },
  {
    // modules inside the sandbox see its globals
    files: ['executor/internal/web/node/*.js', 'executor/internal/web/cloudflare/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'script', globals: { ...ecmascript, ...web, ...names('Buffer Blob ReadableStream WritableStream', 'readonly') } },
    rules: shared,
  },
  {
    files: ['cmd/codemode/internal/ui/static/*.js'],
    languageOptions: {
      ecmaVersion: 'latest', sourceType: 'script',
      globals: { ...ecmascript, ...web, ...names('document window location EventSource DOMParser setInterval clearInterval', 'readonly') },
    },
    rules: shared,
  },
  {
    // programs: expressions, or bodies with a return of their own, in a scope that we fill
    ignores: ['cmd/codemode/internal/ui/static/*.js'],
    files: ['cmd/**/*.js', 'codetool/**/*.js', 'examples/**/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'commonjs', globals: { ...ecmascript, ...web, ...names('codemode stock PROGRAM', 'readonly') } },
    rules: shared,
  },
  {
    // a host: modules for node and for Workers
    files: ['examples/javascript-host/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'module', globals: { ...ecmascript, ...web, ...node, ...names('WebSocket', 'readonly') } },
    rules: shared,
  },
];
