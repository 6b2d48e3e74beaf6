// DOMException.
// Globals: DOMException
(function (host) {
  'use strict';
  const P = host.primordials;
  const { ObjectDefineProperty, ErrorPrototype } = P;
  const { expose, string } = host.load('idl');

  const legacy = {
    __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NoModificationAllowedError: 7,
    NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13,
    NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21,
    QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };
  const constants = {
    __proto__: null, INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4, INVALID_CHARACTER_ERR: 5,
    NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8, NOT_SUPPORTED_ERR: 9, INUSE_ATTRIBUTE_ERR: 10,
    INVALID_STATE_ERR: 11, SYNTAX_ERR: 12, INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16,
    TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20, URL_MISMATCH_ERR: 21, QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23,
    INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
  };

  class Implementation {
    constructor(message, name) {
      message = message === undefined ? '' : string(message);
      name = name === undefined ? 'Error' : string(name);
      const fixed = (key, value) => ObjectDefineProperty(this, key, { __proto__: null, value, writable: false, enumerable: true, configurable: true });
      fixed('code', legacy[name] ?? 0);
      fixed('name', name);
      fixed('message', message);
      const trace = { __proto__: null, stack: '' };
      P.captureStackTrace(trace, DOMException); // the program's frames only
      let stack = name + (message === '' ? '' : `: ${message}`) + (typeof trace.stack === 'string' ? P.StringPrototypeSlice(trace.stack, 5) : '');
      ObjectDefineProperty(this, 'stack', { __proto__: null, get() { return stack; }, set(value) { stack = value; }, enumerable: true, configurable: true });
    }
  }
  const clone = (exception) => {
    const copy = new Implementation(exception.message, exception.name);
    copy.stack = exception.stack;
    return copy;
  };
  P.ObjectSetPrototypeOf(Implementation.prototype, ErrorPrototype);
  const DOMException = expose('DOMException', Implementation, { constants, clone });
  host.define('DOMException', DOMException, { enumerable: true });
  return { __proto__: null, DOMException };
})
