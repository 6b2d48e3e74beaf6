// node:path, with its posix and win32 halves.
(function (host) {
  'use strict';
  const { invalidType } = host.load('node/errors');
  const check = (value, name) => {
    if (typeof value === 'string') return value;
    throw invalidType(name, 'of type string', value);
  };

  // The segments of a path with "." and ".." worked out; climb keeps a leading "..".
  const collapse = (segments, climb) => {
    const out = [];
    for (const segment of segments) {
      if (segment === '' || segment === '.') continue;
      if (segment !== '..') out.push(segment);
      else if (out.length > 0 && out[out.length - 1] !== '..') out.pop();
      else if (climb) out.push('..');
    }
    return out;
  };

  // A glob as a regular expression: *, **, ?, [set] and {a,b}.
  const globToRegExp = (glob, sep) => {
    const notSep = sep === '/' ? '[^/]' : '[^\\\\/]';
    const anySep = sep === '/' ? '/' : '[\\\\/]';
    let out = '';
    for (let i = 0; i < glob.length; i++) {
      const c = glob[i];
      if (c === '*' && glob[i + 1] === '*') {
        while (glob[i + 1] === '*') i++;
        if (glob[i + 1] === '/' || glob[i + 1] === sep) {
          i++;
          out += `(?:${notSep}+${anySep})*`;
        } else out += '.*';
      } else if (c === '*') out += `${notSep}*`;
      else if (c === '?') out += notSep;
      else if (c === '{') out += '(?:';
      else if (c === '}') out += ')';
      else if (c === ',' && glob.lastIndexOf('{', i) > glob.lastIndexOf('}', i)) out += '|';
      else if (c === '[' && glob.indexOf(']', i) > 0) {
        const end = glob.indexOf(']', i);
        out += `[${glob.slice(i + 1, end).replace(/^!/, '^').replace(/\\/g, '\\\\')}]`;
        i = end;
      } else if (c === '/' || c === sep) out += anySep;
      else out += c.replace(/[.+^$()|\]\\]/, '\\$&');
    }
    return new RegExp(`^${out}$`);
  };

  // What differs: the separators, and how a path's root is told from the rest.
  const make = (sep, delimiter, isSep, rootOf) => {
    const split = (path) => {
      const out = [''];
      for (const c of path) {
        if (isSep(c)) out.push('');
        else out[out.length - 1] += c;
      }
      return out;
    };
    // Where the last segment starts and ends, trailing separators left off; never inside the root.
    const lastSegment = (path, root) => {
      let end = path.length;
      while (end > root && isSep(path[end - 1])) end--;
      let start = end;
      while (start > root && !isSep(path[start - 1])) start--;
      return [start, end];
    };
    const extensionAt = (base) => {
      const dot = base.lastIndexOf('.');
      return dot <= 0 || base === '..' ? base.length : dot;
    };
    const api = {
      resolve: (...paths) => {
        let tail = '';
        let device = '';
        let absolute = false;
        for (let i = paths.length - 1; i >= -1 && !(absolute && (device !== '' || sep === '/')); i--) {
          const piece = i < 0 ? (sep === '/' ? '/' : 'C:\\') : check(paths[i], `paths[${i}]`);
          if (piece === '') continue;
          const root = rootOf(piece);
          if (root.device !== '') {
            if (device !== '' && root.device.toLowerCase() !== device.toLowerCase()) continue;
            device ||= root.device;
          }
          if (!absolute) {
            tail = `${piece.slice(root.length)}${sep}${tail}`;
            absolute = root.absolute;
          }
        }
        return `${device}${absolute ? sep : ''}${collapse(split(tail), !absolute).join(sep)}` || '.';
      },
      normalize: (path) => {
        check(path, 'path');
        if (path === '') return '.';
        const root = rootOf(path);
        let tail = collapse(split(path.slice(root.length)), !root.absolute).join(sep);
        const trailing = path.length > root.length && isSep(path[path.length - 1]);
        if (tail === '' && !root.absolute) tail = '.';
        if (tail !== '' && trailing) tail += sep;
        return `${root.device}${root.absolute ? sep : ''}${tail}`;
      },
      isAbsolute: (path) => rootOf(check(path, 'path')).absolute,
      join: (...parts) => {
        const given = parts.filter((part) => check(part, 'path') !== '');
        if (given.length === 0) return '.';
        let joined = given.join(sep);
        // Two separators in front would name a server: they stay only when the first part says so itself.
        if (sep === '\\' && isSep(given[0][0]) && !(isSep(given[0][1]) && given[0].length > 2 && !isSep(given[0][2]))) joined = joined.replace(/^[\\/]{2,}/, sep);
        return api.normalize(joined);
      },
      relative: (from, to) => {
        check(from, 'from');
        check(to, 'to');
        if (from === to) return '';
        const [a, b] = [api.resolve(from), api.resolve(to)];
        const same = sep === '/' ? (x, y) => x === y : (x, y) => x.toLowerCase() === y.toLowerCase();
        if (same(a, b)) return '';
        if (!same(rootOf(a).device, rootOf(b).device)) return b;
        const [x, y] = [collapse(split(a.slice(rootOf(a).length))), collapse(split(b.slice(rootOf(b).length)))];
        let shared = 0;
        while (shared < x.length && shared < y.length && same(x[shared], y[shared])) shared++;
        return [...x.slice(shared).map(() => '..'), ...y.slice(shared)].join(sep);
      },
      toNamespacedPath: (path) => {
        if (sep === '/' || typeof path !== 'string' || path === '') return path;
        const resolved = api.resolve(path);
        if (/^\\\\[^.?]/.test(resolved)) return `\\\\?\\UNC\\${resolved.slice(2)}`;
        return /^[A-Za-z]:\\/.test(resolved) ? `\\\\?\\${resolved}` : resolved;
      },
      dirname: (path) => {
        check(path, 'path');
        if (path === '') return '.';
        const root = rootOf(path).length;
        let [end] = lastSegment(path, root);
        if (end === root) return root > 0 ? path.slice(0, root) : '.';
        while (end > root && isSep(path[end - 1])) end--;
        return path.slice(0, end);
      },
      basename: (path, suffix) => {
        if (suffix !== undefined) check(suffix, 'suffix');
        check(path, 'path');
        const device = sep === '/' ? 0 : rootOf(path).device.length;
        const [start, end] = lastSegment(path, device);
        const base = path.slice(start, end);
        return suffix !== undefined && base !== suffix && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base;
      },
      extname: (path) => {
        const base = api.basename(check(path, 'path'));
        return base.slice(extensionAt(base));
      },
      format: (pathObject) => {
        if (pathObject === null || typeof pathObject !== 'object' || Array.isArray(pathObject)) {
          throw invalidType('pathObject', 'of type object', pathObject);
        }
        const { root = '', dir = root, ext = '', name = '' } = pathObject;
        const base = pathObject.base || `${name}${ext && ext[0] !== '.' ? '.' : ''}${ext}`;
        return dir === '' ? base : dir === root ? `${dir}${base}` : `${dir}${sep}${base}`;
      },
      parse: (path) => {
        check(path, 'path');
        const { length } = rootOf(path);
        const [start, end] = lastSegment(path, length);
        const base = path.slice(start, end);
        let stop = start;
        while (stop > length && isSep(path[stop - 1])) stop--;
        const dot = extensionAt(base);
        return { root: path.slice(0, length), dir: path.slice(0, Math.max(stop, length)), base, ext: base.slice(dot), name: base.slice(0, dot) };
      },
      matchesGlob: (path, pattern) => globToRegExp(check(pattern, 'pattern'), sep).test(check(path, 'path')),
      sep,
      delimiter,
      win32: null,
      posix: null,
    };
    return api;
  };

  const posix = make('/', ':', (c) => c === '/', (path) => {
    const absolute = path[0] === '/';
    return { device: '', absolute, length: absolute ? 1 : 0 };
  });
  const isSlash = (c) => c === '/' || c === '\\';
  const win32 = make('\\', ';', isSlash, (path) => {
    const server = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (server !== null) {
      const rest = path[server[0].length];
      return { device: `\\\\${server[1]}\\${server[2]}`, absolute: true, length: server[0].length + (rest === undefined ? 0 : 1) };
    }
    const device = /^[A-Za-z]:/.test(path) ? path.slice(0, 2) : '';
    const absolute = isSlash(path[device.length] ?? '');
    return { device, absolute, length: device.length + (absolute ? 1 : 0) };
  });
  posix.posix = win32.posix = posix;
  posix.win32 = win32.win32 = win32;
  return posix;
})
