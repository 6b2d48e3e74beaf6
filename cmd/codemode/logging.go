package main

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"

	"golang.org/x/term"
)

// newLogger writes to w what is at least of a level: lines for a person where w is a terminal, else lines with time and level that
// programs can read.
func newLogger(w io.Writer, name string) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return nil, usagef("--log-level is debug, info, warn or error, not %q", name)
	}
	if file := fileOf(w); file != nil && term.IsTerminal(int(file.Fd())) {
		return slog.New(&spoken{w: w, level: level, turn: new(sync.Mutex)}), nil
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), nil
}

// spoken logs as commands speak: "codemode: ", the message, and what it is about in brackets.
type spoken struct {
	w     io.Writer
	level slog.Level
	about []string
	group string // with a dot after it
	turn  *sync.Mutex
}

// Enabled implements slog.Handler.
func (s *spoken) Enabled(_ context.Context, level slog.Level) bool { return level >= s.level }

// WithAttrs implements slog.Handler.
func (s *spoken) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *s
	more.about = append([]string(nil), s.about...)
	for _, a := range attrs {
		more.about = append(more.about, s.attr(s.group, a)...)
	}
	return &more
}

// WithGroup implements slog.Handler.
func (s *spoken) WithGroup(name string) slog.Handler {
	more := *s
	if name != "" {
		more.group += name + "."
	}
	return &more
}

// Handle implements slog.Handler. Most is warnings, so these alone do not say what they are.
func (s *spoken) Handle(_ context.Context, r slog.Record) error {
	about := append([]string(nil), s.about...)
	r.Attrs(func(a slog.Attr) bool {
		about = append(about, s.attr(s.group, a)...)
		return true
	})
	text := "codemode: "
	if r.Level != slog.LevelWarn {
		text += strings.ToLower(r.Level.String()) + ": "
	}
	text += r.Message
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	_, err := io.WriteString(s.w, strings.ReplaceAll(text, "\n", " ")+"\n")
	return err
}

func (s *spoken) attr(group string, a slog.Attr) []string {
	value := a.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		return []string{group + a.Key + ": " + value.String()}
	}
	if a.Key != "" {
		group += a.Key + "."
	}
	var list []string
	for _, member := range value.Group() {
		list = append(list, s.attr(group, member)...)
	}
	return list
}

// say writes what a command has found at its start: to the log, where there is one, so that all of a screen or a file has one form.
func say(t terminal, log *slog.Logger, level slog.Level, text string) {
	if log == nil {
		_, _ = io.WriteString(t.err, "codemode: "+text+"\n")
		return
	}
	log.Log(context.Background(), level, text)
}
