package protocol

import (
	"errors"
	"testing"
	"time"
)

func TestLimitsByNameAndBack(t *testing.T) {
	limits := Limits{Memory: 1 << 20, CPU: 1500 * time.Millisecond, Timers: 7}
	named := limits.ByName()
	if len(named) != 3 || named["cpu"] != 1500 || named["memory"] != 1<<20 || named["timers"] != 7 {
		t.Errorf("by name: %v", named)
	}
	if back, err := LimitsByName(named); err != nil || back != limits {
		t.Errorf("back: %+v, %v", back, err)
	}
	if all := DefaultLimits().ByName(); len(all) != len(RunLimits()) {
		t.Errorf("%d of %d defaults have a name", len(all), len(RunLimits()))
	}
	if _, err := LimitsByName(map[string]int64{"frob": 1}); !errors.Is(err, CodeInvalidRequest) || err.Error() != "limits.frob is no limit" {
		t.Errorf("an unknown name: %v", err)
	}
}
