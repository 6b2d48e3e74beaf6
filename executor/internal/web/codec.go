package web

import (
	"bytes"
	"errors"
	"math"

	"github.com/codemode-go/codemode/executor/internal/web/codec"
)

// codecOps are the ops of codec.js. A stream's number is released when it ends and when it fails.
func codecOps() map[string]Op {
	return map[string]Op{
		"codecOpen":  codecOpen,
		"codecWrite": withCodec(func(c codec.Codec, args []any) { c.Write(bytes.Clone(args[1].([]byte))) }),
		"codecFlush": withCodec(func(c codec.Codec, _ []any) { c.Flush() }),
		"codecEnd":   withCodec(func(c codec.Codec, _ []any) { c.End() }),
		"codecNext":  codecNext,
		"codecClose": func(s *State, args []any) (any, error) {
			s.release(args[0].(float64))
			return nil, nil
		},
	}
}

// codecOpen takes (direction, format, level, dictionary or undefined), where direction is compress, decompress or
// decompress-strict, as codec.Rest has them, and returns the stream's number.
func codecOpen(s *State, args []any) (any, error) {
	dictionary, _ := args[3].([]byte)
	dictionary = bytes.Clone(dictionary)
	var c codec.Codec
	var err error
	switch direction, format := args[0].(string), args[1].(string); direction {
	case "compress":
		c, err = s.pool.Compress(format, int(max(math.MinInt32, min(args[2].(float64), math.MaxInt32))), dictionary)
	case "decompress-strict":
		c, err = s.pool.Decompress(format, codec.Strict, dictionary)
	default:
		c, err = s.pool.Decompress(format, codec.Ignore, dictionary)
	}
	if err != nil {
		return nil, &OpError{"RangeError", err.Error()}
	}
	return s.hold(c)
}

func withCodec(work func(c codec.Codec, args []any)) Op {
	return func(s *State, args []any) (any, error) {
		c, err := s.codec(args[0].(float64))
		if err != nil {
			return nil, err
		}
		work(c, args)
		return nil, nil
	}
}

// codecNext takes a stream's number and returns a piece of its output, or false when it needs more input, or true when it
// has ended.
func codecNext(s *State, args []any) (any, error) {
	handle := args[0].(float64)
	c, err := s.codec(handle)
	if err != nil {
		return nil, err
	}
	piece, state, err := c.Next()
	switch {
	case errors.Is(err, codec.ErrMemory):
		s.release(handle)
		return nil, &OpError{"RangeError", "Memory limit exceeded"}
	case err != nil:
		s.release(handle)
		return nil, err
	case state == codec.More:
		return piece, nil
	case state == codec.Done:
		s.release(handle)
	}
	return state == codec.Done, nil
}
