// node --import ./register.mjs types.mjs DIRECTORY
//
// Asks the real generateTypesFromJsonSchema for each tool of the tools/list results in a directory. Prints a JSON line
// for each, {file, tool, block}, or {file, tool, threw}.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { generateTypesFromJsonSchema } from 'codemode-0.5.6';

const directory = process.argv[2];
for (const file of readdirSync(directory).filter((name) => name.endsWith('.json')).sort()) {
  for (const tool of JSON.parse(readFileSync(join(directory, file), 'utf8')).tools) {
    const line = { file, tool: tool.name };
    try {
      line.block = generateTypesFromJsonSchema({ [tool.name]: tool });
    } catch (error) {
      line.threw = String(error);
    }
    console.log(JSON.stringify(line));
  }
}
