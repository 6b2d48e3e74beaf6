package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Settings are our own, from the "codemode" object. A zero field was not set.
//
//	{"codemode": {"timeout": "50s", "outbound": "blocked", "memoryMB": 128, "toolCalls": 1000,
//	              "resultChars": 24000, "descriptionChars": 2000, "startTimeout": "60s"}}
//
// Durations are strings such as "30s" or "5m", or a number of milliseconds. A value that is wrong is an error of the
// whole file: a limit that quietly became another one would be worse than none.
type Settings struct {
	// Timeout bounds one run, StartTimeout the start of a server that names no own.
	Timeout, StartTimeout time.Duration
	// Outbound says whether programs may use the network themselves: "inherit" or "blocked".
	Outbound protocol.OutboundMode
	// Limits bounds one run further; see protocol.Limits.
	Limits protocol.Limits
	// ResultChars bounds the text of one result, DescriptionChars the description of the tool.
	ResultChars, DescriptionChars int
	// Preamble is put in front of the tool's description.
	Preamble string
}

func (s *Settings) read(raw json.RawMessage, unknown func(key string)) error {
	fields, ok := members(raw)
	if !ok {
		return fmt.Errorf("codemode must be an object, is %s", kindOf(raw))
	}
	for _, f := range fields {
		known, err := s.field(f.key, f.value)
		if err != nil {
			return fmt.Errorf("codemode.%s %w", f.key, err)
		}
		if !known {
			unknown(f.key)
		}
	}
	return nil
}

func (s *Settings) field(key string, raw json.RawMessage) (known bool, err error) {
	switch key {
	case "timeout":
		s.Timeout, err = parseDuration(raw)
	case "startTimeout":
		s.StartTimeout, err = parseDuration(raw)
	case "cpu":
		s.Limits.CPU, err = parseDuration(raw)
	case "outbound":
		mode, _ := text(raw)
		if s.Outbound = protocol.OutboundMode(mode); s.Outbound != protocol.OutboundInherit && s.Outbound != protocol.OutboundBlocked {
			err = errors.New(`must be "inherit" or "blocked"`)
		}
	case "memoryMB":
		var megabytes int64
		megabytes, err = parseCount(raw, math.MaxInt64>>20)
		s.Limits.Memory = megabytes << 20
	case "toolCalls":
		s.Limits.ToolCalls, err = parseCount(raw, math.MaxInt64)
	case "logLines":
		s.Limits.LogLines, err = parseCount(raw, math.MaxInt64)
	case "resultChars":
		s.ResultChars, err = parseInt(raw)
	case "descriptionChars":
		s.DescriptionChars, err = parseInt(raw)
	case "preamble":
		if s.Preamble, known = text(raw); !known {
			err = fmt.Errorf("must be a string, is %s", kindOf(raw))
		}
	default:
		return false, nil
	}
	return true, err
}

// parseDuration reads "30s" or a whole number of milliseconds, which must be positive.
func parseDuration(raw json.RawMessage) (time.Duration, error) {
	const want = `must be a duration such as "30s" or a whole number of milliseconds`
	if s, ok := text(raw); ok {
		d, err := time.ParseDuration(strings.TrimSpace(s))
		if err != nil {
			return 0, errors.New(want)
		}
		if d <= 0 {
			return 0, errors.New("must be greater than 0")
		}
		return d, nil
	}
	if kindOf(raw) != "a number" {
		return 0, fmt.Errorf("%s, is %s", want, kindOf(raw))
	}
	n, err := parseCount(raw, int64(math.MaxInt64/time.Millisecond))
	return time.Duration(n) * time.Millisecond, err
}

// parseCount reads a whole number from 1 to most.
func parseCount(raw json.RawMessage, most int64) (int64, error) {
	var n int64
	if kind := kindOf(raw); kind != "a number" {
		return 0, fmt.Errorf("must be a whole number, is %s", kind)
	}
	if json.Unmarshal(raw, &n) != nil {
		return 0, fmt.Errorf("must be a whole number, is %s", raw)
	}
	if n <= 0 || n > most {
		return 0, fmt.Errorf("must be between 1 and %d, is %d", most, n)
	}
	return n, nil
}

func parseInt(raw json.RawMessage) (int, error) {
	n, err := parseCount(raw, math.MaxInt32)
	return int(n), err
}
