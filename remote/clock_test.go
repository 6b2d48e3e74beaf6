package remote

import (
	"os"
	"testing"
	"time"
)

// TestTheClockJumps makes sure that the tests of make hammer-clock run under the clock that they are run for.
func TestTheClockJumps(t *testing.T) {
	if os.Getenv("CODEMODE_CLOCK_JUMPS") == "" {
		t.Skip("CODEMODE_CLOCK_JUMPS is not set: the clock jumps under make hammer-clock, which builds the standard library anew; that has no place in every run, CI's among them")
	}
	began := time.Now()
	for time.Since(began) < 20*time.Second {
		now := time.Now()
		wall, passed := now.Round(0).Sub(began.Round(0)), now.Sub(began)
		if off := wall - passed; off > time.Minute || off < -time.Minute {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the wall clock has kept to the monotonic one for twenty seconds")
}
