//go:build cgo && (linux || darwin)

package web_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

func TestBoot(t *testing.T) {
	h := webtest.New(t, nil)
	if got := h.Eval(`return [Function.prototype.toString.toString(), 1 + 1]`); got != `["function toString() { [native code] }",2]` {
		t.Errorf("boot: %s", got)
	}
}
