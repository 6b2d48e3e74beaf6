package protocol

import (
	"strings"
	"testing"
)

func TestSeparateImports(t *testing.T) {
	// A "¦" marks where the imports end; a source without one has none.
	for _, marked := range []string{
		"import a from 'm'¦\na()",
		"import a from 'm';¦ a()",
		"import a from 'm'  ;¦a()",
		"import a from 'm' /* x */\n;¦a()",
		"import a from 'm'¦",
		"import 'm'¦\n",
		"import\"m\"¦\n",
		"import{a}from'm';¦a",
		"import*as a from\"m\";¦a",
		"import a,{b}from'm';import c,*as d from'n';¦c",
		"import { a, b as c, default as d, 'string name' as e, if as f, } from 'm'¦\na",
		"import {} from 'm'¦\na",
		"import\n{\na\n}\nfrom\n'm'¦\na",
		"import $a_1 from 'm'; import été from 'n'; import \\u0061b, { \\u{62}c } from 'o';¦x",
		"import from from 'm'¦\nfrom()",
		"import as, { as as as } from 'm'¦\nas",
		"import * as as from 'm';¦as",
		"import type from 'm';¦type",
		"import type, { of } from 'm';¦type",
		"import type A from 'm'\nimport type { B, C as D } from 'n'\nimport type * as E from 'o'\nimport { type F, type G as H, type, type as I, type as } from 'p'¦\n1",
		"import type from from 'm';¦1",
		"import a from 'm' with { type: 'json' };¦a",
		"import a from 'm' with { type: 'json', 'x-y': \"z\", }¦\na",
		"import 'm' with {}¦\na",
		"import 'm'\nwith\n{ type: 'json' }¦\na",
		"import a from 'it\\'s; \\\" import b from \\'n\\''¦\na",
		"import 'a\\\r\nb';¦c",
		"// one\n\n/* two */ import a from 'm' // three\n// four\nimport b from 'n'¦ // five\na + b",
		"import /* a */ a /* , */ from /* 'x' */ 'm' /* ; */;¦ /* b */ a",
		"import 'm' /* no line break */ ;¦ 1",
		"import 'm'¦ /* a line\nbreak */ 1",
		"import 'm'¦ // import 'n'",
		"import 'm'¦\u2028a()",
		"\ufeffimport 'm'¦\na()",
		"#!/usr/bin/env node\nimport 'm'¦\na()",
		"import 'm'¦\r\nimport('n')",
		"import 'm';¦ import.meta.url",
		"import 'm';¦ export { a } from 'n'; import 'o'",
		"import 'm';¦;import 'n'",
		"import 'm';¦ import n from",

		"",
		"a()",
		"import('m')",
		"import ('m')",
		"import/* */.meta.url",
		"import.meta",
		"import",
		"import ",
		"import a",
		"import a from",
		"import a from m",
		"import a from 'm' a()",
		"import a from 'm' + 1",
		"import 'm' with a",
		"import 'm' with { a }",
		"import 'm' with { a: 1 }",
		"import 'm' with { a: '1' ",
		"import a, from 'm'",
		"import a b from 'm'",
		"import { a b } from 'm'",
		"import { a, , b } from 'm'",
		"import { a as } from 'm'",
		"import * from 'm'",
		"import * as , from 'm'",
		"import 'm",
		"import 'm\n'",
		"import a from `m`",
		"imports 'm'",
		"import_ from 'm'",
		"\\u0069mport 'm'",
		"'use strict'; import 'm'",
		"/* import 'm'",
		"// import 'm'",
		"/* open import 'm'\nimport 'm'",
		" #!x\nimport 'm'",
	} {
		imports, body, _ := strings.Cut(marked, "¦")
		if !strings.Contains(marked, "¦") {
			imports, body = "", marked
		}
		gotImports, gotBody := SeparateImports(imports + body)
		if gotImports != imports || gotBody != body {
			t.Errorf("SeparateImports(%q) = %q, %q, want %q, %q", imports+body, gotImports, gotBody, imports, body)
		}
	}
}

// TestSeparateImportsLarge would run for hours if any part of the scan were repeated for each declaration.
func TestSeparateImportsLarge(t *testing.T) {
	imports := strings.Repeat("import { a as b } from 'm' with { type: 'json' } // ; import\n", 1<<15)
	imports += "import 'n'"
	body := "\n/*" + strings.Repeat("import 'm'\n", 1<<16) + "*/ 1"
	if gotImports, gotBody := SeparateImports(imports + body); gotImports != imports || gotBody != body {
		t.Errorf("got %d bytes of imports and %d of body, want %d and %d", len(gotImports), len(gotBody), len(imports), len(body))
	}
	for _, hostile := range []string{
		"import { " + strings.Repeat("a ", 1<<20),
		"import { " + strings.Repeat("a, ", 1<<20),
		"import " + strings.Repeat("/**/", 1<<19),
		strings.Repeat("/*", 1<<20),
		"import '" + strings.Repeat("\\", 1<<20),
		"import " + strings.Repeat("\\u{", 1<<19),
	} {
		if got, _ := SeparateImports(hostile); got != "" {
			t.Errorf("SeparateImports(%.20q…) found %d bytes of imports", hostile, len(got))
		}
	}
}

func FuzzSeparateImports(f *testing.F) {
	f.Add("import a, { b as c } from 'm' with { type: 'json' } // x\nimport * as d from \"n\";\na()")
	f.Add("#!x\nimport type { A } from 'm'\n/* */ import 'n'")
	f.Add("import \\u{61} from '\\\r\n'\nimport(1)")
	f.Fuzz(func(t *testing.T, source string) {
		imports, body := SeparateImports(source)
		if imports+body != source {
			t.Fatalf("%q + %q is not %q", imports, body, source)
		}
		if again, rest := SeparateImports(imports); again != imports || rest != "" {
			t.Fatalf("imports %q split again into %q, %q", imports, again, rest)
		}
		if again, _ := SeparateImports(imports + "\nasync () => 1"); again != imports {
			t.Fatalf("imports %q ahead of an arrow: %q", imports, again)
		}
	})
}
