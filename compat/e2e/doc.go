// Package e2e is the product seen from outside: the built codemode binary, driven by the clients that people have (the
// TypeScript MCP SDK in both its major versions, the AI SDK, mcporter, the Inspector's command line), in front of real npm
// MCP servers. It has tests only; package.json and its lock file name what they start.
package e2e
