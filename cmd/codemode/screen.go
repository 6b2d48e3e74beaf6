package main

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen writes to a terminal what does nothing to it but appear: texts of servers and of programs may hold the sequences
// that colour, move, rename and paste. What goes elsewhere than to a terminal stays byte for byte.
type screen struct {
	file *os.File

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end has not been written yet
}

// onScreen is a screen where w is a terminal, else w.
func onScreen(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &screen{file: file}
	}
	return w
}

// fileOf is what w writes to without a screen before it, for those whose own sequences are meant; nil for no file.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*screen); ok {
		return s.file
	}
	file, _ := w.(*os.File)
	return file
}

// Write implements io.Writer.
func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := append(s.rest, data...)
	end := len(whole)
	for start := end - 1; start >= 0 && start > end-utf8.UTFMax; start-- {
		if utf8.RuneStart(whole[start]) {
			if !utf8.FullRune(whole[start:]) {
				end = start
			}
			break
		}
	}
	s.rest = append([]byte(nil), whole[end:]...)
	if _, err := s.file.WriteString(strings.Map(appearing, string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// appearing is how a character of a text appears: line breaks, tabs and the joiners of some scripts as they are.
func appearing(r rune) rune {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return r
	case '\r': // of a line break; alone it would have a line written over
		return -1
	}
	return printableRune(r)
}

// printable is a name that does nothing to a terminal, in one line.
func printable(text string) string { return strings.Map(printableRune, text) }

func printableRune(r rune) rune {
	if unicode.IsGraphic(r) {
		return r
	}
	return '?'
}
