//go:build cgo && (linux || darwin)

package worker

import "testing"

func TestUnheardCallsAreBounded(t *testing.T) {
	var c calls
	for id := range int64(maxUnheard + 3) {
		c.sent(id + 7)
	}
	c.answered(7)
	places := c.unheard()
	if len(places) != maxUnheard || places[0] != 1 || places[maxUnheard-1] != maxUnheard {
		t.Errorf("%d places, from %d to %d", len(places), places[0], places[len(places)-1])
	}
}
