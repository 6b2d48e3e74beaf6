//go:build cgo

package v8

import (
	"testing"

	"github.com/tommie/v8go"
)

// A program that embeds the executor may have isolates of its own.
func TestOurIsolatesHaveOneContextAndThoseOfOthersWhatTheyAskFor(t *testing.T) {
	ours, err := NewIsolate(0)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Dispose()
	if n := ours.isolate.GetHeapStatistics().NumberOfNativeContexts; n != 1 {
		t.Errorf("our isolate has %d contexts", n)
	}
	isolate := v8go.NewIsolate()
	defer isolate.Dispose()
	globals := v8go.NewObjectTemplate(isolate)
	if err := globals.Set("answer", int32(42)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		context := v8go.NewContext(isolate, globals)
		value, err := context.RunScript("globalThis.seen ? 0 : ((globalThis.seen = true), answer)", "answer.js")
		if err != nil || value.Integer() != 42 {
			t.Errorf("value %v, error %v", value, err)
		}
		context.Close()
	}
}
