// Records what npm @cloudflare/codemode 0.5.6 prints, for reference_test.go.
//
//   npm i --prefix DIR @cloudflare/codemode@0.5.6
//   node record.mjs DIR path/to/mcp-tools
//
// schemas.json keeps its schemas and gets their types anew; mcp-tools.json gets
// the SHA-256 of the block of every tool.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const stub = 'data:text/javascript,export class WorkerEntrypoint {}; export class RpcTarget {}; export class DurableObject {}'
const hooks = `export const resolve = (name, context, next) =>
  name === 'cloudflare:workers' ? { url: ${JSON.stringify(stub)}, shortCircuit: true } : next(name, context)`
register('data:text/javascript,' + encodeURIComponent(hooks))

const [dir, toolsDir] = process.argv.slice(2)
const entry = join(resolve(dir), 'node_modules/@cloudflare/codemode/dist/index.js')
const { generateTypesFromJsonSchema } = await import(pathToFileURL(entry))

const here = (name) => new URL(name, import.meta.url)
const lines = (values) => '[\n' + values.map((value) => JSON.stringify(value)).join(',\n') + '\n]\n'

const schemas = JSON.parse(readFileSync(here('schemas.json'), 'utf8')).map(({ schema }) => ({
  schema,
  block: generateTypesFromJsonSchema({ t: { description: 'd', inputSchema: schema } }),
}))
writeFileSync(here('schemas.json'), lines(schemas))

const tools = []
for (const file of readdirSync(toolsDir).filter((name) => name.endsWith('.json')).sort()) {
  for (const tool of JSON.parse(readFileSync(join(toolsDir, file), 'utf8')).tools) {
    const block = generateTypesFromJsonSchema({ [tool.name]: tool })
    tools.push([file, tool.name, createHash('sha256').update(block).digest('hex').slice(0, 16)])
  }
}
writeFileSync(here('mcp-tools.json'), lines(tools))
