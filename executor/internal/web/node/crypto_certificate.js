// X509Certificate and Certificate of node:crypto. Ops: see node_certificate.go, and ipBytes(text) → bytes.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkString, checkObject } = host.load('node/errors');
  const { inspect } = host.load('node/inspect');
  const { newHash } = host.load('hashing');
  const { bytesOf, asBuffer } = host.load('node/crypto_common');
  const { KeyObject, PublicKeyObject, PrivateKeyObject, derOf } = host.load('node/crypto_keys');
  const { ops } = host;

  const bufferType = 'of type string or an instance of Buffer, TypedArray, or DataView';
  const read = (buffer) => {
    if (typeof buffer !== 'string' && !ArrayBuffer.isView(buffer)) throw invalidType('buffer', bufferType, buffer);
    const bytes = asBuffer(Uint8Array.from(bytesOf(buffer, 'buffer')));
    try {
      return ops.certificateRead(bytes);
    } catch {
      const shown = inspect(bytes);
      throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'buffer' is not a valid certificate. Received ${shown.length > 128 ? `${shown.slice(0, 128)}...` : shown}`);
    }
  };
  const fingerprint = (digest, der) => {
    const hash = newHash(digest);
    hash.update(der);
    return asBuffer(hash.digest()).toString('hex').toUpperCase().replace(/..(?!$)/g, '$&:');
  };

  // The options of the checks of names. What the reference takes no notice of is checked all the same.
  const optionsOf = (options = {}) => {
    checkObject(options, 'options');
    for (const key of ['wildcards', 'partialWildcards', 'multiLabelWildcards', 'singleLabelSubdomains']) {
      if (options[key] !== undefined && typeof options[key] !== 'boolean') throw invalidType(`options.${key}`, 'of type boolean', options[key]);
    }
    const { subject = 'default', wildcards = true } = options;
    if (subject !== 'default' && subject !== 'always' && subject !== 'never') throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.subject' is invalid. Received ${inspect(subject)}`);
    return { subject, wildcards };
  };
  const isHost = (pattern, name, wildcards) => {
    const a = pattern.toLowerCase();
    const b = name.toLowerCase();
    if (a === b) return true;
    // A star is a whole label, the first, of a name with two more.
    if (!wildcards || !/^\*\.[^.*]+\.[^*]*[^.*]$/.test(a)) return false;
    const dot = b.indexOf('.');
    return dot > 0 && b.slice(dot) === a.slice(1);
  };

  let isCertificate;
  class X509Certificate {
    #state;
    constructor(buffer) {
      const der = read(buffer);
      this.#state = { der, ...JSON.parse(ops.certificateDescribe(der)) };
    }
    get subject() { return this.#state.subject; }
    get subjectAltName() { return this.#state.subjectAltName; }
    get issuer() { return this.#state.issuer; }
    get issuerCertificate() { return this.#state.issuerCertificate; }
    get infoAccess() { return this.#state.infoAccess; }
    get validFrom() { return this.#state.validFrom; }
    get validTo() { return this.#state.validTo; }
    get fingerprint() { return (this.#state.fingerprint ??= fingerprint('sha1', this.#state.der)); }
    get fingerprint256() { return (this.#state.fingerprint256 ??= fingerprint('sha256', this.#state.der)); }
    get fingerprint512() { return (this.#state.fingerprint512 ??= fingerprint('sha512', this.#state.der)); }
    get keyUsage() { return this.#state.keyUsage; }
    get serialNumber() { return this.#state.serialNumber; }
    get raw() { return (this.#state.raw ??= asBuffer(this.#state.der)); }
    get publicKey() { return (this.#state.publicKey ??= new PublicKeyObject('public', ops.certificateKey(this.#state.der))); }
    toString() { return `-----BEGIN CERTIFICATE-----\n${this.raw.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`; }
    toJSON() { return this.toString(); }
    get ca() { return this.#state.ca; }
    checkHost(name, options) {
      checkString(name, 'name');
      const { subject, wildcards } = optionsOf(options);
      const { hosts, commonNames } = this.#state;
      const known = hosts ?? (subject === 'never' ? [] : commonNames ?? []);
      return known.find((pattern) => isHost(pattern, name, wildcards));
    }
    checkEmail(email, options) {
      checkString(email, 'email');
      optionsOf(options);
      const canonical = (address) => address.replace(/@[^@]*$/, (domain) => domain.toLowerCase());
      return this.#state.emails?.some((known) => canonical(known) === canonical(email)) ? email : undefined;
    }
    checkIP(ip, options) {
      checkString(ip, 'ip');
      optionsOf(options);
      const bytes = ops.ipBytes(ip);
      if (bytes === undefined || bytes === null) throw new Error('Invalid IP');
      return this.#state.addresses?.includes(asBuffer(bytes).toString('hex')) ? ip : undefined;
    }
    checkIssued(otherCert) {
      if (!isCertificate(otherCert)) throw invalidType('otherCert', 'an instance of X509Certificate', otherCert);
      return ops.certificateIssued(this.#state.der, otherCert.#state.der);
    }
    checkPrivateKey(pkey) {
      if (!(pkey instanceof PrivateKeyObject)) throw invalidType('pkey', 'an instance of KeyObject', pkey);
      return ops.certificateHasKey(this.#state.der, derOf(pkey));
    }
    verify(pkey) {
      if (!(pkey instanceof KeyObject) || pkey.type !== 'public') throw invalidType('pkey', 'an instance of KeyObject', pkey);
      return ops.certificateSigned(this.#state.der, derOf(pkey));
    }
    toLegacyObject() {
      const state = this.#state;
      const legacy = (names) => {
        const out = { __proto__: null };
        for (const [key, value] of names) out[key] = key in out ? [out[key], value].flat() : value;
        return out;
      };
      const places = { __proto__: null };
      for (const line of (state.infoAccess ?? '').split('\n').filter(Boolean)) {
        const at = line.indexOf(':');
        (places[line.slice(0, at)] ??= []).push(line.slice(at + 1));
      }
      const { subjectNames, issuerNames, subjectAltName = '', ca, modulus, bits, exponent, asn1Curve, nistCurve, validFrom, validTo, serialNumber, keyUsage } = state;
      const rest = asn1Curve === undefined ? {} : { asn1Curve, nistCurve };
      return {
        subject: legacy(subjectNames), subjectAltName, infoAccess: places, issuer: legacy(issuerNames), ca, modulus, bits, exponent,
        pubkey: this.publicKey.export({ type: 'spki', format: 'der' }), ...rest, valid_from: validFrom, valid_to: validTo,
        fingerprint: this.fingerprint, fingerprint256: this.fingerprint256, fingerprint512: this.fingerprint512,
        serialNumber, ...keyUsage === undefined ? {} : { ext_key_usage: keyUsage }, raw: this.raw,
      };
    }
    static { isCertificate = (value) => typeof value === 'object' && value !== null && #state in value; }
  }

  // ---- signed public keys and challenges

  const partOf = (part) => (spkac, encoding) => ops.spkacPart(part, bytesOf(spkac, 'spkac', encoding, 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView'));
  const parts = { challenge: partOf('challenge'), key: partOf('key'), verified: partOf('verified') };
  const buffer = (bytes) => (bytes === undefined || bytes === null ? Buffer.alloc(0) : asBuffer(bytes));
  const spkacMethods = {
    exportChallenge(spkac, encoding) { return buffer(parts.challenge(spkac, encoding)); },
    exportPublicKey(spkac, encoding) { return buffer(parts.key(spkac, encoding)); },
    verifySpkac(spkac, encoding) { return parts.verified(spkac, encoding) === true; },
  };
  function Certificate() { return new.target === undefined ? new Certificate() : undefined; }
  Object.assign(Certificate, spkacMethods);
  for (const key of Object.keys(spkacMethods).reverse()) Certificate.prototype[key] = spkacMethods[key];
  return { X509Certificate, Certificate };
})
