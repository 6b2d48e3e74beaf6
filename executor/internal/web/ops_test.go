package web_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web"
)

// TestOpsSurviveAnyArgument calls every operation with arguments of each kind in each number: whatever it answers, it
// does not panic.
func TestOpsSurviveAnyArgument(t *testing.T) {
	kinds := []any{nil, "", "a", -1.0, 1.5, true, []byte{}, []byte{0x30, 0x03, 0x02, 0x01, 0x00}}
	state := web.NewState()
	defer state.Close()
	for name, op := range web.Ops() {
		for _, kind := range kinds {
			for count := range 9 {
				args := make([]any, count)
				for i := range args {
					args[i] = kind
				}
				result, err := op(state, args)
				switch result.(type) {
				case nil, string, float64, bool, []byte, web.Text:
				default:
					t.Errorf("%s(%d × %v) is %T (%v)", name, count, kind, result, err)
				}
			}
		}
	}
}
