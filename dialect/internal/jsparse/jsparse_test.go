package jsparse

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestParse states what the last statement of a program is. What is and is not a program is compared with acorn in
// package dialect, on thousands of snippets.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		source string
		want   Program
	}{
		{"", Program{}},
		{" // nothing\n", Program{}},
		{"#!/bin/node\na", Program{1, Statement{Kind: Expression, Start: 12, InnerStart: 12, InnerEnd: 13}}},
		{"const a = 40\na + 2", Program{2, Statement{Kind: Expression, Start: 13, InnerStart: 13, InnerEnd: 18}}},
		{"f ( a ) /* x */ ;", Program{1, Statement{Kind: Expression, InnerEnd: 7}}},
		{"((1, 2))", Program{1, Statement{Kind: Expression, InnerStart: 2, InnerEnd: 6}}},
		{"(a).b", Program{1, Statement{Kind: Expression, InnerEnd: 5}}},
		{"é;é", Program{2, Statement{Kind: Expression, Start: 3, InnerStart: 3, InnerEnd: 5}}},
		{"`${{}}`", Program{1, Statement{Kind: Expression, InnerEnd: 7}}},
		{"a /b/ c", Program{1, Statement{Kind: Expression, InnerEnd: 7}}},
		{"{} /b/g", Program{2, Statement{Kind: Expression, Start: 3, InnerStart: 3, InnerEnd: 7}}},
		{"async () => 1;", Program{1, Statement{Kind: Arrow, InnerEnd: 13}}},
		{"(x => x)", Program{1, Statement{Kind: Arrow, InnerStart: 1, InnerEnd: 7}}},
		{"(x => x)()", Program{1, Statement{Kind: Expression, InnerEnd: 10}}},
		{"function \\u0061b() {}", Program{1, Statement{Kind: Function, Name: "ab"}}},
		{"async function* g() {}", Program{1, Statement{Kind: Function, Name: "g"}}},
		{"class A {}", Program{1, Statement{}}},
		{"a: 1", Program{1, Statement{}}},
		{"{ a: 1 }", Program{1, Statement{}}},
		{"export let a", Program{1, Statement{}}},
		{"export default (1)", Program{1, Statement{Kind: ExportDefault, InnerStart: 16, InnerEnd: 17}}},
		{"export default function f() {}", Program{1, Statement{Kind: ExportDefault, InnerStart: 15, InnerEnd: 30}}},
		{"export default function () {}", Program{1, Statement{Kind: ExportDefaultFunction, InnerStart: 15, InnerEnd: 29}}},
		{"export default class {}", Program{1, Statement{Kind: ExportDefaultClass, InnerStart: 15, InnerEnd: 23}}},
	} {
		got, err := Parse(c.source)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("Parse(%q): %v (-want +got)\n%s", c.source, err, diff)
		}
	}
}

func TestParseError(t *testing.T) {
	for _, c := range []struct {
		source string
		offset int
	}{
		{"1 +", 3},
		{"a b", 2},
		{"é @", 3},
		{"return 1", 0},
		{"let a; { var a }", 16}, // behind the block, when its names meet those around it
		{"/(/", 0},
		{"class A { m() { this.#a } }", 21},
	} {
		_, err := Parse(c.source)
		var syntaxError *SyntaxError
		if !errors.As(err, &syntaxError) || syntaxError.Offset != c.offset {
			t.Errorf("Parse(%q) = %v, want an error at offset %d", c.source, err, c.offset)
		}
	}
}

// TestParseNested checks that nesting a person may write is read and that no nesting exhausts the stack.
func TestParseNested(t *testing.T) {
	for _, c := range []struct{ open, inside, close string }{
		{"(", "1", ")"}, {"[", "1", "]"}, {"{", "1", "}"}, {"({a:", "1", "})"}, {"`${", "1", "}`"}, {"f(", "1", ")"},
		{"!", "1", ""}, {"await ", "1", ""}, {"new ", "a", ""}, {"1 ** ", "1", ""}, {"a = ", "1", ""}, {"a ? 1 : ", "1", ""},
		{"x => ", "1", ""}, {"x => {", "1", "}"}, {"(function () {", "1", "})"}, {"(class { x = ", "1", "})"},
		{"if (1) ; else ", ";", ""}, {"for (;;) ", ";", ""}, {"try {", "1", "} finally {}"}, {"switch (1) { case 1: ", "1", "}"},
		{"[", "a", "] = 1"}, {"let [", "a", "] = 1"}, {"/(?:", "a", ")/"}, {"/[", "a", "]/v"}, {"async (", "1", ")"},
	} {
		nested := func(depth int) string {
			if strings.HasPrefix(c.open, "/") || strings.HasPrefix(c.open, "let ") { // the outermost differs
				i, j := strings.IndexAny(c.open, "(["), strings.LastIndexAny(c.close, ")]")+1
				return c.open[:i] + strings.Repeat(c.open[i:], depth) + c.inside + strings.Repeat(c.close[:j], depth) + c.close[j:]
			}
			return strings.Repeat(c.open, depth) + c.inside + strings.Repeat(c.close, depth)
		}
		if _, err := Parse(nested(600)); err != nil {
			t.Errorf("%q nested 600 times: %v", c.open, err)
		}
		if _, err := Parse(nested(200_000)); err == nil {
			t.Errorf("%q nested 200,000 times is no error", c.open)
		}
	}
}

// TestParseLarge would run for hours if the time were quadratic in the size of any of these.
func TestParseLarge(t *testing.T) {
	const n = 1 << 16
	each := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	deep := func(open, inside, close string) string {
		return strings.Repeat(open, 500) + inside + strings.Repeat(close, 500)
	}
	for name, source := range map[string]string{
		"operators":        strings.Repeat("1 + ", n) + "1",
		"members":          "a" + strings.Repeat(".b", n),
		"sequence":         strings.Repeat("a, ", n) + "a",
		"statements":       strings.Repeat("a;", n),
		"line comments":    strings.Repeat("//\n", n),
		"block comments":   strings.Repeat("/**/", n),
		"async names":      strings.Repeat("async/* "+strings.Repeat("x", 64)+" */;", n),
		"using names":      strings.Repeat("using\n/* x */;", n),
		"variables":        each("let a%d;"),
		"vars in blocks":   deep("{", each("var a%d;"), "}"),
		"vars and lets":    deep("{ let x;", each("var a%d;"), "}"),
		"parameters":       "(" + each("a%d, ") + "b) => 1",
		"exports":          each("export let a%d;"),
		"private names":    "class A {" + each("#a%d;") + "}",
		"private uses":     "class A {" + each("#a%d;") + "m() {" + deep("(class { x = () => {", each("this.#a%d;"), "}})") + "}}",
		"labels":           "a: {" + each("a%d: ;") + strings.Repeat("break a;", n) + "}",
		"group names":      "/" + each("(?<a%d>b)") + "/",
		"group alternates": "/" + strings.Repeat("(?<a>b)|", n) + "/",
		"nested groups":    "/" + deep("(?:", each("(?<a%d>b)"), ")") + "/",
		"class ranges":     "/[" + strings.Repeat("a-z", n) + "]/v",
		"long string":      "'" + strings.Repeat("\\u{61}", n) + "'",
		"long template":    "async `" + strings.Repeat("${a}", n) + "`",
	} {
		if _, err := Parse(source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, source := range map[string]string{
		"open strings":    strings.Repeat("'\n", n),
		"open comments":   strings.Repeat("/*", n),
		"open templates":  strings.Repeat("`${", n),
		"open classes":    "/" + strings.Repeat("[", n) + "/v",
		"open escapes":    strings.Repeat("\\u{", n),
		"open parameters": strings.Repeat("async(", n),
		"using":           strings.Repeat("await using ", n),
	} {
		if _, err := Parse(source); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestIsSpace(t *testing.T) {
	const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if want := strings.ContainsRune(spaces, r) && r != utf8.RuneError; IsSpace(r) != want {
			t.Errorf("IsSpace(%U) = %v", r, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("#!x\nimport a, { b as c } from 'm'; export default async function* () { yield* await `${a?.[b]}` }")
	f.Add("let { a = 1, ...b } = c; for await (using d of e) { f: while (g) continue f }")
	f.Add("class A extends (B, C) { static async *[d] (e) {} #f = /[\\p{L}--[a-z]]/v; static {} get g() { return #f in h } }")
	f.Add("(a, { b = 1 }, [c, ...d]) => ({ e, async f() {}, get [g]() {}, __proto__: 1n }) ")
	f.Fuzz(func(t *testing.T, source string) {
		program, err := Parse(source)
		last := program.Last
		if err == nil && program.Count > 0 && (last.Start < 0 || last.InnerEnd > len(source) || last.InnerStart > last.InnerEnd) {
			t.Errorf("Parse(%q) = %+v", source, program)
		}
	})
}
