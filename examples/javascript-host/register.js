// Node resolves no cloudflare:workers, which @cloudflare/codemode/ai imports for a class of its own. A bundler's alias does
// the same; module.registerHooks, where node has it, needs no file of hooks.
import { register } from 'node:module';

register('./hooks.js', import.meta.url);
