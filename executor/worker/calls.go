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

// maxUnheard bounds what the end of a run says of them: a pool may allow any number of calls, and a frame has its bound.
const maxUnheard = 10_000

// unheard are the places of those that are left, the first ones where there are too many.
func (c *calls) unheard() []int {
	places := slices.Sorted(maps.Values(c.waiting))
	return places[:min(len(places), maxUnheard)]
}
