// Package compat is the evidence that the dialect is the dialect: one catalogue of cases, run on us and compared with
// what the real reference, npm @cloudflare/codemode on workerd, answered.
//
// Four nouns are enough to read it. A [casefile.Case] is a program with the tools it may call. An [Expected] is what the
// reference made of it. A [Rule] is a deliberate difference, stated on the shape of the two outcomes and never on a
// case's name, so that it judges cases that nobody here has seen. A [Report] is what is left.
//
//	cases, errs := casefile.ParseFile("cases.json", text)
//	expected, err := compat.LoadExpected("expected-0.5.6.json", "0.5.6")
//	reports := compat.Run(ctx, pool, cases, []*compat.Outcomes{expected}, nil)
//	reports[0].Print(os.Stdout, false) // the last line is "N passed, N failed"
//
// Nothing imports this package. Its command is compat/cmd/compat.
package compat
