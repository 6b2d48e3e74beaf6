// node catalogue.mjs URL TOKEN CASES: every case of a file in the catalogue's form, a line of JSON each: {name, result?, error?, logs?}.
// A case's tools are made as the reference's own worker makes them.
import { readFileSync } from 'node:fs';
import { connect } from '../node.js';
import { makeProviders } from '../../../compat/reference/worker/tools.js';

const [url, token, file] = process.argv.slice(2);
const executor = await connect(url, { token });
const outbounds = { null: null, inherit: 'inherit' };
console.warn = () => {};

async function run({ name, code, providers, options = {} }) {
  const { timeout, modules, outbound } = options;
  try {
    const { result, error, logs } = await executor.execute(code, makeProviders(providers, []), { timeout, modules, outbound: outbounds[outbound ?? 'null'] });
    return { name, result, error, logs };
  } catch (failed) {
    return { name, failed: String(failed) };
  }
}

const cases = JSON.parse(readFileSync(file, 'utf8')); // those that the test chose
const lane = async () => {
  for (let one = cases.shift(); one; one = cases.shift()) {
    const outcome = await run(one);
    let line;
    try {
      line = JSON.stringify(outcome);
    } catch (error) {
      line = JSON.stringify({ ...outcome, result: undefined, error: error.message.split('\n')[0] });
    }
    console.log(line);
  }
};
await Promise.all(Array.from({ length: 4 }, lane));
executor.dispose();
process.exit(0);
