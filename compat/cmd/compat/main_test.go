package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main() // does not return in a process that the pool started as a worker
	os.Exit(m.Run())
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMalformedCaseIsNamedAndTheRestRuns(t *testing.T) {
	dir := t.TempDir()
	cases := write(t, dir, "cases.json", `[
		{"name": "good", "code": "6 * 7"},
		{"name": "twice", "code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "echo"}, "t": {"kind": "echo"}}}]},
		{"name": "odd", "code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "shout"}}}]},
		{"name": "fast", "code": "1", "options": {"speed": 9}}
	]`)
	expect := write(t, dir, "expected.json", `{"good": {"result": 42, "logs": [], "keys": ["result", "logs"]}}`)
	var out, errs strings.Builder
	if code := run(t.Context(), []string{"-cases", cases, "-expect", expect}, &out, &errs); code != exitFailed {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
	for _, want := range []string{
		cases + `: case "twice": providers[0].tools: "t" is named twice`,
		cases + `: case "odd": providers[0].tools.t.kind: unknown kind "shout"`,
		cases + `: case "fast": options.speed: unknown option`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if !strings.HasSuffix(out.String(), "\n1 passed, 0 failed\n") {
		t.Errorf("last line of:\n%s", out.String())
	}
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	cases := write(t, dir, "cases.json", `[{"name": "a", "code": "1"}]`)
	right := write(t, dir, "right.json", `{"a": {"result": 1, "logs": []}}`)
	wrong := write(t, dir, "wrong.json", `{"a": {"result": 2, "logs": []}}`)
	every, odd := write(t, t.TempDir(), "expected-0.5.6.json", `{"a": {"result": 1, "logs": []}}`), write(t, t.TempDir(), "expected-0.5.6.json", `{"a": {"result": 2, "logs": []}}`)
	for _, release := range []string{"0.4.4", "0.3.8", "0.2.2"} {
		write(t, filepath.Dir(every), "expected-"+release+".diff.json", `{}`)
		write(t, filepath.Dir(odd), "expected-"+release+".diff.json", `{"a": {"result": 1, "logs": []}}`)
	}
	for want, args := range map[int][][]string{
		exitOK:     {{"-cases", cases, "-expect", right}, {"-cases", cases, "-expect", right, "-json"}, {"-h"}, {"-cases", cases, "-expect", every, "-version", "all"}},
		exitFailed: {{"-cases", cases, "-expect", wrong}, {"-cases", cases, "-expect", odd, "-version", "all"}},
		exitUsage: {
			{}, {"-cases", cases}, {"-nope"}, {"-cases", cases, "-expect", right, "more"},
			{"-cases", filepath.Join(dir, "gone.json"), "-expect", right}, {"-cases", cases, "-expect", right, "-version", "0.0.1"},
		},
	} {
		for _, line := range args {
			var out, errs strings.Builder
			if code := run(t.Context(), line, &out, &errs); code != want {
				t.Errorf("compat %q: exit code %d, want %d\n%s%s", line, code, want, out.String(), errs.String())
			}
		}
	}
}
