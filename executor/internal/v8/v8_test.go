//go:build cgo && (linux || darwin)

package v8_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/internal/v8"
)

func newIsolate(t *testing.T) *v8.Isolate {
	t.Helper()
	runtime.LockOSThread()
	isolate, err := v8.NewIsolate(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		isolate.Dispose()
		runtime.UnlockOSThread()
	})
	return isolate
}

func evaluate(t *testing.T, isolate *v8.Isolate, source string) v8.Value {
	t.Helper()
	script, _, err := isolate.Compile(source, "test.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := script.Run()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestStringsCrossWhole(t *testing.T) {
	isolate := newIsolate(t)
	echo := evaluate(t, isolate, "(s) => s")
	for _, s := range []string{"", "plain", "a\x00b", "h\u00e9 \u4e2d \U0001F600 \u2028", strings.Repeat("\u00e9\x00", 100_000)} {
		v, err := isolate.Call(echo, isolate.String(s))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.String(); got != s {
			t.Errorf("%.20q came back as %.20q", s, got)
		}
		if got := v.Text(); got != s {
			t.Errorf("%.20q came back as the text %.20q", s, got)
		}
		v.Release()
	}
	if got := evaluate(t, isolate, "'a\x00b' + `\x00`").String(); got != "a\x00b\x00" {
		t.Errorf("NUL in a source: %q", got)
	}
	lone := evaluate(t, isolate, `"a\ud800\udbff"`)
	if text, whole := lone.Text(), lone.String(); whole != "a\ufffd\ufffd" || text != whole {
		t.Errorf("lone surrogates: %q, as text %q", whole, text)
	}
}

func TestCallbacks(t *testing.T) {
	isolate := newIsolate(t)
	var got []any
	fn := isolate.Function(func(args []v8.Value) v8.Value {
		for _, arg := range args {
			switch {
			case arg.IsString():
				got = append(got, arg.String())
			case arg.IsNumber():
				got = append(got, arg.Number())
			case arg.IsBoolean():
				got = append(got, arg.Boolean())
			default:
				got = append(got, arg.IsFunction())
			}
		}
		return isolate.String("answer")
	})
	call := evaluate(t, isolate, "(f) => f('x', 1.5, true, f)")
	out, err := isolate.Call(call, fn)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != "answer" {
		t.Errorf("the callback answered %q", out.String())
	}
	if diff := cmp.Diff([]any{"x", 1.5, true, true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompileErrors(t *testing.T) {
	isolate := newIsolate(t)
	_, _, err := isolate.Compile("const a = 1;\n  const = ;", "some:name.js", nil)
	var failed *v8.CompileError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(v8.CompileError{Name: "some:name.js", Message: "SyntaxError: Unexpected token '='", Line: 2, Column: 9}, *failed); diff != "" {
		t.Error(diff)
	}
}

func TestCacheIsUsed(t *testing.T) {
	const source = "(function f() { return 'cached' })"
	first := newIsolate(t)
	script, used, err := first.Compile(source, "cached.js", nil)
	if err != nil || used {
		t.Fatalf("used %v, %v", used, err)
	}
	cache := script.Cache()
	second := newIsolate(t)
	script, used, err = second.Compile(source, "cached.js", cache)
	if err != nil || !used {
		t.Fatalf("used %v, %v", used, err)
	}
	fn, err := script.Run()
	if err != nil {
		t.Fatal(err)
	}
	out, err := second.Call(fn)
	if err != nil || out.String() != "cached" {
		t.Errorf("%v, %v", out, err)
	}
	if _, used, err = second.Compile(source+" ", "cached.js", cache); err != nil || used {
		t.Errorf("a cache of another source was used: %v, %v", used, err)
	}
}

func TestTerminate(t *testing.T) {
	isolate := newIsolate(t)
	started := make(chan struct{})
	tell := isolate.Function(func([]v8.Value) v8.Value { close(started); return v8.Value{} })
	go func() {
		<-started
		isolate.Terminate()
	}()
	loop := evaluate(t, isolate, "(tell) => { tell(); for (;;) ; }")
	_, err := isolate.Call(loop, tell)
	var thrown *v8.Exception
	if !errors.As(err, &thrown) {
		t.Fatalf("got %v", err)
	}
	if got := evaluate(t, isolate, "1 + 1").Number(); got != 2 {
		t.Errorf("after the end of a loop: %v", got)
	}
}

func TestSharedBytes(t *testing.T) {
	isolate := newIsolate(t)
	buffer := evaluate(t, isolate, "globalThis.b = new SharedArrayBuffer(8)")
	data, release, err := buffer.SharedBytes()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	data[3] = 42
	if got := evaluate(t, isolate, "const view = new Uint8Array(b); view[4] = 7; view[3]").Number(); got != 42 || data[4] != 7 {
		t.Errorf("the script saw %v, Go sees %v", got, data)
	}
}
