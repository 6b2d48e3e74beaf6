// The fetcher behind {"outbound": "stub"}: it answers every request with what it was asked, and /500 with a failure.
const ownHeaders = (headers) => Object.fromEntries([...headers].filter(([name]) => !name.startsWith('cf-')));

export default {
  async fetch(request) {
    if (new URL(request.url).pathname === '/500') return new Response('boom', { status: 500 });
    return Response.json({
      stub: true,
      method: request.method,
      url: request.url,
      body: await request.text(),
      headers: ownHeaders(request.headers),
    });
  },
};
