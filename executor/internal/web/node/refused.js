// The modules that reach out of a sandbox: dns, net, tls, fs/promises. Their names are there, so that code which imports
// them loads; what would connect, resolve or open refuses, as it does in a worker without network and without files.
(function (host) {
  'use strict';
  const { withCode, checkFunction } = host.load('node/errors');
  const { Duplex } = host.load('node/stream');
  const EventEmitter = host.load('node/events');
  const { refusal } = host.load('cloudflare/sockets');
  const notImplemented = (name) => ({
    [name]() { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `The ${name} method is not implemented`); },
  }[name]);

  // ---- dns

  const codes = {};
  for (const code of ('ADDRGETNETWORKPARAMS BADFAMILY BADFLAGS BADHINTS BADNAME BADQUERY BADRESP BADSTR CANCELLED CONNREFUSED DESTRUCTION FILE FORMERR ' +
    'LOADIPHLPAPI NODATA NOMEM NONAME NOTFOUND NOTIMP NOTINITIALIZED REFUSED SERVFAIL TIMEOUT').split(' ')) codes[code] = `E${code}`;
  Object.assign(codes, { EOF: 'EOF', ADDRCONFIG: 1024, ALL: 256, V4MAPPED: 2048 });
  class DnsError extends Error {
    constructor(name, code, syscall) {
      super(`${syscall} ${code} ${name}`);
      this.code = code;
      this.syscall = syscall;
      this.hostname = name;
    }
  }
  const queries = {
    lookup: ['queryA', 'ENOTFOUND'], lookupService: ['getnameinfo', 'ENOTFOUND'], resolve: ['queryA', 'EBADQUERY'], resolve4: ['queryA', 'EBADQUERY'],
    resolve6: ['queryAaaa', 'EBADQUERY'], resolveAny: ['queryAny', 'EBADQUERY'], resolveCaa: ['queryCaa', 'EBADQUERY'], resolveCname: ['queryCname', 'EBADQUERY'],
    resolveMx: ['queryMx', 'EBADQUERY'], resolveNaptr: ['queryNaptr', 'EBADQUERY'], resolveNs: ['queryNs', 'EBADQUERY'], resolvePtr: ['queryPtr', 'EBADQUERY'],
    resolveSoa: ['querySoa', 'EBADQUERY'], resolveSrv: ['querySrv', 'EBADQUERY'], resolveTxt: ['queryTxt', 'EBADQUERY'], reverse: ['getHostByAddr', 'EBADQUERY'],
  };
  const settings = {
    getDefaultResultOrder: () => 'verbatim',
    setDefaultResultOrder: () => {},
    getServers: () => [],
    setServers: () => {},
  };
  const promises = { ...codes, ...settings };
  const callbacks = { ...settings };
  for (const [name, [syscall, code]] of Object.entries(queries)) {
    promises[name] = { async [name](hostname) { throw new DnsError(hostname, code, syscall); } }[name];
    callbacks[name] = {
      [name](hostname, ...rest) {
        const callback = rest.pop();
        checkFunction(callback, 'callback');
        promises[name](hostname).catch((error) => queueMicrotask(() => callback(error)));
      },
    }[name];
  }
  const resolver = (methods) => class Resolver {
    constructor() { Object.assign(this, methods); }
    cancel() {}
    setLocalAddress() {}
  };
  promises.Resolver = resolver(promises);
  const dns = { ...codes, ...callbacks, Resolver: resolver(callbacks), promises };

  // ---- net and tls: a socket that has failed before it is used

  class Socket extends Duplex {
    connecting = false;
    connect(...args) {
      const listener = args.at(-1);
      if (typeof listener === 'function') this.once('connect', listener);
      this.connecting = true;
      this.destroy(refusal());
      return this;
    }
    _read() {}
    _write(chunk, encoding, callback) { callback(refusal()); }
    setEncoding(encoding) { return super.setEncoding(encoding); }
    setKeepAlive() { return this; }
    setNoDelay() { return this; }
    setTimeout() { return this; }
    address() { return {}; }
    ref() { return this; }
    unref() { return this; }
  }
  class Server extends EventEmitter {
    listen() { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The listen method is not implemented'); }
    close(callback) {
      if (callback !== undefined) queueMicrotask(callback);
      return this;
    }
    address() { return null; }
  }
  const v4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
  const isIPv4 = (text) => v4.test(`${text}`) && !/(?:^|\.)0\d/.test(`${text}`);
  const isIPv6 = (text) => {
    const [address, zone] = `${text}`.split('%');
    return zone !== '' && address.includes(':') && !address.includes('[') && URL.canParse(`http://[${address}]/`);
  };
  const connect = (...args) => new Socket().connect(...args);
  class SocketAddress {
    constructor({ address = '127.0.0.1', family = 'ipv4', port = 0, flowlabel = 0 } = {}) { Object.assign(this, { address, family, port, flowlabel }); }
  }
  class BlockList {
    #rules = [];
    get rules() { return this.#rules.slice(); }
    addAddress(address, family = 'ipv4') { this.#rules.unshift(`Address: ${family === 'ipv4' ? 'IPv4' : 'IPv6'} ${address}`); }
    check(address, family = 'ipv4') { return this.#rules.includes(`Address: ${family === 'ipv4' ? 'IPv4' : 'IPv6'} ${address}`); }
    addRange() { notImplemented('addRange')(); }
    addSubnet() { notImplemented('addSubnet')(); }
  }
  let autoSelect = true;
  let autoSelectTimeout = 250;
  const net = {
    BlockList, BoundSocket: notImplemented('BoundSocket'), Server, Socket, SocketAddress, Stream: Socket,
    _normalizeArgs: (args) => [typeof args[0] === 'object' ? args[0] : { port: args[0], host: args[1] }, typeof args.at(-1) === 'function' ? args.at(-1) : null],
    connect,
    createConnection: connect,
    createServer: () => new Server(),
    getDefaultAutoSelectFamily: () => autoSelect,
    setDefaultAutoSelectFamily: (value) => { autoSelect = value; },
    getDefaultAutoSelectFamilyAttemptTimeout: () => autoSelectTimeout,
    setDefaultAutoSelectFamilyAttemptTimeout: (value) => { autoSelectTimeout = value; },
    isIP: (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0),
    isIPv4,
    isIPv6,
  };
  class TLSSocket extends Socket {
    encrypted = true;
    authorized = false;
  }
  class SecureContext {}
  const tls = {
    CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600, DEFAULT_CIPHERS: '', DEFAULT_ECDH_CURVE: 'auto', DEFAULT_MAX_VERSION: 'TLSv1.3', DEFAULT_MIN_VERSION: 'TLSv1.2',
    SecureContext, Server: notImplemented('Server'), TLSSocket, checkServerIdentity: notImplemented('checkServerIdentity'),
    connect: (...args) => new TLSSocket().connect(...args),
    convertALPNProtocols: notImplemented('convertALPNProtocols'), createSecureContext: () => new SecureContext(), createSecurePair: notImplemented('createSecurePair'),
    createServer: notImplemented('createServer'), getCiphers: () => [], rootCertificates: [],
  };

  // ---- files: there are none

  const missing = (name) => ({
    async [name](path) {
      throw Object.assign(new Error(`no such file or directory, ${name === 'readFile' ? 'readAll' : name} '${path}'`), { code: 'ENOENT', errno: -2, syscall: name, path: `${path}` });
    },
  }[name]);
  const filesPromises = { FileHandle: class FileHandle {} };
  filesPromises.constants = {
    COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4, EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1, F_OK: 0,
    O_APPEND: 1024, O_CREAT: 64, O_DIRECT: 16384, O_DIRECTORY: 65536, O_DSYNC: 4096, O_EXCL: 128, O_NOATIME: 262144, O_NOCTTY: 256,
    O_NOFOLLOW: 131072, O_NONBLOCK: 2048, O_RDONLY: 0, O_RDWR: 2, O_SYNC: 1052672, O_TRUNC: 512, O_WRONLY: 1, R_OK: 4, S_IFBLK: 24576,
    S_IFCHR: 8192, S_IFDIR: 16384, S_IFIFO: 4096, S_IFLNK: 40960, S_IFMT: 61440, S_IFREG: 32768, S_IFSOCK: 49152, S_IRGRP: 32, S_IROTH: 4,
    S_IRUSR: 256, S_IRWXG: 56, S_IRWXO: 7, S_IRWXU: 448, S_IWGRP: 16, S_IWOTH: 2, S_IWUSR: 128, S_IXGRP: 8, S_IXOTH: 1, S_IXUSR: 64,
    UV_DIRENT_BLOCK: 7, UV_DIRENT_CHAR: 6, UV_DIRENT_DIR: 2, UV_DIRENT_FIFO: 4, UV_DIRENT_FILE: 1, UV_DIRENT_LINK: 3, UV_DIRENT_SOCKET: 5,
    UV_DIRENT_UNKNOWN: 0, UV_FS_COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4, UV_FS_O_FILEMAP: 0,
    UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2, W_OK: 2, X_OK: 1,
  };
  for (const name of ('access appendFile chmod chown copyFile cp glob lchmod lchown link lstat lutimes mkdir mkdtemp open opendir readFile readdir readlink ' +
    'realpath rename rm rmdir stat statfs symlink truncate unlink utimes watch writeFile').split(' ')) filesPromises[name] = missing(name);

  return { dns, net, tls, filesPromises, tlsCommon: { SecureContext, createSecureContext: tls.createSecureContext }, tlsWrap: { TLSSocket, Server: tls.Server, connect: tls.connect, createServer: tls.createServer } };
})
