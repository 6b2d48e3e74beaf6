// Programs that use the web platform, for node and for us alike: name -> what makes the work that is measured. Each is done
// twice before it is measured, and the best of five times counts: what else the machine does can only add to one.
async (name) => {
  const bytes = 1 << 20;
  const binary = () => Array.from({ length: bytes }, (_, i) => String.fromCharCode(i & 255)).join('');
  const text = () => 'aäö€ 𝄞 text'.repeat(bytes / 15);
  // Words in no order: what compresses neither well nor badly.
  const words = () => {
    let seed = 1;
    const next = () => (seed = seed * 1103515245 + 12345 & 0x7fffffff);
    const list = Array.from({ length: 5000 }, () => next().toString(36));
    let out = '';
    while (out.length < 65536) out += `${list[next() % 5000]} `;
    return new TextEncoder().encode(out.slice(0, 65536));
  };
  // Ten megabytes in chunks through a pipe.
  const through = (chunk, ...pipes) => async () => {
    let left = (10 << 20) / chunk.length;
    let stream = new ReadableStream({ pull(controller) { if (left-- > 0) controller.enqueue(chunk); else controller.close(); } });
    for (const make of pipes) stream = stream.pipeThrough(make());
    let length = 0;
    for await (const piece of stream) length += piece.length;
    return length;
  };
  const same = () => new TransformStream({ transform(chunk, controller) { controller.enqueue(chunk); } });
  const makers = {
    base64Encode: () => { const input = binary(); return () => btoa(input).length; },
    base64Decode: () => { const input = btoa(binary()); return () => atob(input).length; },
    utf8Encode: () => { const input = text(), encoder = new TextEncoder(); return () => encoder.encode(input).length; },
    utf8Decode: () => { const input = new TextEncoder().encode(text()), decoder = new TextDecoder(); return () => decoder.decode(input).length; },
    digest: () => { const input = new Uint8Array(bytes).fill(7); return async () => (await crypto.subtle.digest('SHA-256', input)).byteLength; },
    transform: () => through(new Uint8Array(65536).fill(65), same),
    gzip: () => through(words(), same, () => new CompressionStream('gzip')),
    gunzip: () => through(words(), same, () => new CompressionStream('gzip'), () => new DecompressionStream('gzip')),
    urls: () => {
      const inputs = Array.from({ length: 100 }, (_, i) => `https://host${i}.example.com:8${i}/path/to/${i}/file.html?q=${i}&x=y#part${i}`);
      return () => {
        let length = 0;
        for (let i = 0; i < 10000; i++) length += new URL(inputs[i % 100]).pathname.length;
        return length;
      };
    },
  };
  const work = makers[name]();
  let best = Infinity;
  for (let i = 0; i < 7; i++) {
    const start = performance.now();
    if (!(await work() > 0)) throw new Error(`${name} did nothing`);
    if (i >= 2) best = Math.min(best, performance.now() - start);
  }
  return best;
}
