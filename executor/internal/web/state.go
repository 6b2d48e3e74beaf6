package web

import (
	"fmt"

	"github.com/codemode-go/codemode/executor/internal/web/codec"
)

// The bounds of what a State holds: streams that were begun and not ended, and about how much memory they need. A program
// that compresses much at a time does so in turns long before.
const (
	maxCodecs      = 256
	maxCodecWeight = 96 << 20
)

// State is what ops keep for one sandbox between two calls: the streams that are being compressed or decompressed. A
// script has the number of each. It belongs to the goroutine of its sandbox, and ends with Close.
type State struct {
	pool   codec.Pool
	codecs map[float64]codec.Codec
	last   float64
	weight int64
	// buffer is what the last operation returned, for the next to use again.
	buffer []byte
}

// maxBuffer bounds what is kept for the next operation: fresh memory costs more than the work on a megabyte of it.
const maxBuffer = 4 << 20

// room is a buffer of no length and so much room. What an operation returns in it is good until the next.
func (s *State) room(size int) []byte {
	if cap(s.buffer) >= size {
		return s.buffer[:0]
	}
	buffer := make([]byte, 0, size)
	if size <= maxBuffer {
		s.buffer = buffer
	}
	return buffer
}

// NewState makes a state that holds nothing.
func NewState() *State { return &State{} }

// Close lets go of everything that the sandbox's program has left.
func (s *State) Close() {
	for handle := range s.codecs {
		s.release(handle)
	}
}

// hold keeps a codec and returns its number. Over a bound it is closed, and the error is a RangeError.
func (s *State) hold(c codec.Codec) (float64, error) {
	if len(s.codecs) >= maxCodecs || s.weight+c.Weight() > maxCodecWeight {
		c.Close()
		return 0, &OpError{"RangeError", fmt.Sprintf("Too many compression streams are open: at most %d, or %d MB of memory", maxCodecs, maxCodecWeight>>20)}
	}
	if s.codecs == nil {
		s.codecs = map[float64]codec.Codec{}
	}
	s.last++
	s.codecs[s.last] = c
	s.weight += c.Weight()
	return s.last, nil
}

// codec is the codec of a number.
func (s *State) codec(handle float64) (codec.Codec, error) {
	if c, ok := s.codecs[handle]; ok {
		return c, nil
	}
	return nil, fmt.Errorf("no compression stream %v is open", handle)
}

func (s *State) release(handle float64) {
	if c, ok := s.codecs[handle]; ok {
		s.weight -= c.Weight()
		c.Close()
		delete(s.codecs, handle)
	}
}
