package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/dialect/internal/jsparse"
	"github.com/codemode-go/codemode/protocol"
)

func TestNormalizeCode(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		// The rows of the seed's table.
		{"arrow", "async () => 42", "async () => 42"},
		{"expression", "1 + 2", "async () => {\nreturn (1 + 2)\n}"},
		{"statements and expression", "const a = 40\na + 2", "async () => {\nconst a = 40\nreturn (a + 2)\n}"},
		{"statements", "let a = 1\nif (a) { a += 1 }", "async () => {\nlet a = 1\nif (a) { a += 1 }\n}"},
		{"return", "return 6 * 7", "async () => {\nreturn 6 * 7\n}"},
		{"function", "function run() { return 42 }", "async () => {\nfunction run() { return 42 }\nreturn run();\n}"},
		{"default export", "export default async () => 42", "async () => 42"},
		{"default function", "export default function () { return 42 }", "async () => {\nreturn (function () { return 42 })();\n}"},
		{"default class", "export default class {}", "async () => {\nreturn (class {});\n}"},
		{"import", "import { helper } from 'lib.js'\nconst a = helper()\na", "import { helper } from 'lib.js'\nasync () => {\nconst a = helper()\nreturn (a)\n}"},
		{"empty", "", "async () => {}"},
		{"fence in a default export", "export default ```js\nconst a = 1\na```", "async () => {\nconst a = 1\nreturn (a)\n}"},
		{"fence", "```js\nconst sum = 20 + 22\nsum\n```", "async () => {\nconst sum = 20 + 22\nreturn (sum)\n}"},

		// Imports, where upstream has no say.
		{"import and arrow", "import { g } from 'helpers.js';\nasync () => g('w')", "import { g } from 'helpers.js';\nasync () => g('w')"},
		{"import alone", "import 'setup.js'", "import 'setup.js'\nasync () => {}"},
		{"imports with comments", "// one\nimport a from 'a' // two\n\n/* three */ import b from 'b';  // four\na(b)\n",
			"// one\nimport a from 'a' // two\n\n/* three */ import b from 'b';\nasync () => {\n// four\nreturn (a(b))\n}"},
		{"import in a fence", "```ts\r\nimport a from 'a'\r\na()\r\n```", "import a from 'a'\nasync () => {\nreturn (a())\n}"},
		{"import and default export", "import a from 'a'; export default async () => a", "import a from 'a';\nasync () => a"},
		{"import and broken body", "import a from 'a'\na(", "import a from 'a'\nasync () => {\na(\n}"},
		{"import of a type", "import type { A } from 'a'\n1", "import type { A } from 'a'\nasync () => {\nreturn (1)\n}"},
		{"broken import", "import a frm 'a'\na()", "async () => {\nimport a frm 'a'\na()\n}"},
		{"dynamic import", "import('a')", "async () => {\nreturn (import('a'))\n}"},
		{"late import", "a()\nimport a from 'a'", "async () => {\na()\nimport a from 'a'\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NormalizeCode(c.code)
			if got != c.want {
				t.Fatalf("NormalizeCode(%q)\n got %q\nwant %q", c.code, got, c.want)
			}
			if again := NormalizeCode(got); again != got && !strings.HasSuffix(c.name, "broken body") && !strings.HasSuffix(c.name, "import") {
				t.Errorf("%q is no fixed point: %q", got, again)
			}
		})
	}
}

func TestStripFence(t *testing.T) {
	const body = "async () => 1"
	stripped := []string{
		"```js\n%```", "```javascript\n%\n```", "```ts\n%\n```", "```typescript\n%\n```", "```tsx\n%\n```", "```jsx\n%\n```",
		"```\n%\n```", "```js  \t\n%\n```", "```\u00a0\n\n \n%\n```", "```js\r\n%\r\n```",
	}
	for _, pattern := range stripped {
		code := strings.Replace(pattern, "%", body, 1)
		if got := NormalizeCode(" \n" + code + "\n"); got != body {
			t.Errorf("NormalizeCode(%q) = %q, want the inside of the fence", code, got)
		}
	}
	kept := []string{
		"```JS\n%\n```", "```mjs\n%\n```", "```json\n%\n```", "``` js\n%\n```", "```js %```", "```js\r%\n```", "```js\n%",
		"%\n```", "````js\n%\n````", "~~~js\n%\n~~~", "Here:\n```js\n%\n```", "```js\n%\n```\nDone.", "```js x\n%\n```",
	}
	for _, pattern := range kept {
		code := strings.Replace(pattern, "%", body, 1)
		if got := stripFence(span{code, 0}); got.text != code {
			t.Errorf("stripFence(%q) = %q, want it unchanged", code, got.text)
		}
	}
	for _, empty := range []string{"```js\n```", "```\n\n```", "```\n \n \n```"} {
		if got := NormalizeCode(empty); got != "async () => {}" {
			t.Errorf("NormalizeCode(%q) = %q", empty, got)
		}
	}
}

// TestNormalizeCodeAgainstUpstream compares with what upstream's normalizeCode (0.5.6, with acorn 8.19) answered, import
// blocks aside: one [code, text] pair a line. CODEMODE_NORMALIZE_CORPUS names another file to compare with.
func TestNormalizeCodeAgainstUpstream(t *testing.T) {
	path := "testdata/normalize.jsonl"
	if other := os.Getenv("CODEMODE_NORMALIZE_CORPUS"); other != "" {
		path = other
	}
	pairs := readJSONLines[[2]string](t, path)
	for i, p := range pairs {
		if got := NormalizeCode(p[0]); got != p[1] {
			t.Errorf("line %d: NormalizeCode(%q)\n got %q\nwant %q", i+1, p[0], got, p[1])
		}
		checkNormalized(t, p[0])
	}
	if len(pairs) < 500 {
		t.Errorf("%s holds %d snippets, want at least 500", path, len(pairs))
	}
}

// checkNormalized checks what holds for every text.
func checkNormalized(t *testing.T, code string) {
	t.Helper()
	spans := normalize(code)
	for _, s := range spans {
		if s.at >= 0 && code[s.at:s.at+len(s.text)] != s.text {
			t.Errorf("NormalizeCode(%q): %q does not stand at %d", code, s.text, s.at)
		}
	}
	normalized := join(spans)
	_, body := protocol.SeparateImports(normalized)
	program, err := jsparse.Parse(strings.TrimFunc(body, jsparse.IsSpace))
	isArrow := err == nil && program.Count == 1 && program.Last.Kind == jsparse.Arrow
	if again := NormalizeCode(normalized); isArrow && again != normalized {
		t.Errorf("NormalizeCode(%q) = %q is an arrow function but no fixed point: %q", code, normalized, again)
	}
	source := stripFence(span{code, 0}.trim()).trim().text
	if _, err := jsparse.Parse(source); err == nil && !isArrow && !changesInFunction(source) {
		t.Errorf("NormalizeCode(%q) = %q, no arrow function though the text is a program", code, normalized)
	}
}

// changesInFunction reports whether a program may be none inside of a function: it has imports, exports or a hashbang
// line, or the word of that acorn takes for part of the declaration ahead of it.
func changesInFunction(program string) bool {
	for _, word := range []string{"export", "import", "#!", "of"} {
		if strings.Contains(program, word) {
			return true
		}
	}
	return false
}

func FuzzNormalizeCode(f *testing.F) {
	f.Add("```ts\nimport a, { b } from 'm' with { type: 'json' }\nfor await (const { x = 1, ...y } of a?.b`${/[/]/v}`) { y: continue y }\n```")
	f.Add("class A extends B { static #p = 1_0n; static { super.x ??= #p in this } async *[`m`](a = 1) { yield* await a ** 2 } }")
	f.Add("export default async ({ a = 1 }, [b, ...c]) => ({ get d() { return new.target }, __proto__: /(?<n>\\p{L})\\k<n>/u })")
	f.Add("label: do { if (a) break label; else using: switch (b) { case 1: default: } } while (0) try {} catch ({ e }) {} finally {}")
	f.Fuzz(func(t *testing.T, code string) { checkNormalized(t, code) })
}

func BenchmarkNormalizeCode(b *testing.B) {
	const code = "```js\nconst issues = await github.list_issues({ owner: 'a', state: 'open' });\n" +
		"const bugs = issues.filter((i) => i.labels.some((l) => l.name === 'bug')).map((i) => `${i.number}: ${i.title}`);\n" +
		"console.log(bugs.length);\nbugs.slice(0, 10)\n```"
	b.ReportAllocs()
	for b.Loop() {
		NormalizeCode(code)
	}
}

// readJSONLines decodes the file at path, one JSON value a line.
func readJSONLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var values []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(values)+1, err)
		}
		values = append(values, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
