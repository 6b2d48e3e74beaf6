// node --import ./register.js main.js, with the daemon's address in EXECUTOR_URL and its token in CODEMODE_TOKEN.
import { ask } from './host.js';
import { connect } from './node.js';

const executor = await connect(process.env.EXECUTOR_URL ?? 'ws://127.0.0.1:8080', { outbound: null, token: process.env.CODEMODE_TOKEN });
try {
  await ask(executor, console.log);
} finally {
  executor.dispose();
}
