//go:build cgo && (linux || darwin)

package worker

import (
	"maps"
	"slices"
)

// calls are the tool calls of a run whose answer the program does not have yet.
type calls struct {
	made    int
	waiting map[int64]int // id -> place among the run's calls
}

func (c *calls) sent(id int64) {
	if c.waiting == nil {
		c.waiting = make(map[int64]int)
	}
	c.waiting[id] = c.made
	c.made++
}

func (c *calls) answered(id int64) { delete(c.waiting, id) }

// unheard are the places of those that are left.
func (c *calls) unheard() []int { return slices.Sorted(maps.Values(c.waiting)) }
