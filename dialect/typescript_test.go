package dialect

import "testing"

func TestTypeScriptKeepsItsValue(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"const x: number = 1; x", "async () => {\nconst x = 1;\nreturn (x)\n}"},
		{"async (): Promise<number> => 1", "async () => 1;"},
		{"```typescript\nconst u = [1]\nu.map((x: any) => x.id)\n```", "async () => {\nconst u = [1];\nreturn (u.map((x) => x.id))\n}"},
		{"async function main(): Promise<number> { return 3 }\nmain()", "async () => {\nasync function main() {\n  return 3;\n}\nreturn (main())\n}"},
	} {
		arrow, ok := typeScriptArrow(c.code)
		if !ok || arrow != c.want {
			t.Errorf("%q gave %q, %v, want %q", c.code, arrow, ok, c.want)
		}
	}
}

func TestWhatIsNoTypeScriptStays(t *testing.T) {
	for _, code := range []string{
		"1 + 1", "async () => 42", "let a = 1\nif (a) { a += 1 }", "return 6 * 7", "const x: number = 1; return x", "", "const = 5",
		"function run() { return 42 }", "import { a } from 'x'\na",
		"010", "async () => 010", "'\\01'", "with (a) b", "<div>x</div>",
	} {
		if arrow, ok := typeScriptArrow(code); ok {
			t.Errorf("%q was read as TypeScript: %q", code, arrow)
		}
	}
}
