// The same host as a Worker: a request answers what ask() logs. It needs no nodejs_compat.
import { ask } from './host.js';
import { connect } from './workerd.js';

export default {
  async fetch(_request, env) {
    const lines = [];
    const executor = await connect(env.EXECUTOR_URL, { outbound: null, token: env.CODEMODE_TOKEN });
    try {
      await ask(executor, (line) => lines.push(line));
    } finally {
      executor.dispose();
    }
    return new Response(lines.join('\n') + '\n');
  },
};
