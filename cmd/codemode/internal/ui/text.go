package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/codemode-go/codemode/mcpserver"
)

// visible is a text from a program or a server as it may be shown: what has no look of its own, or turns the direction of
// what is around it, is written as its code, so that a text cannot pass for another. Line ends and tabs stay.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r > 0xffff && hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// hidden are control and format characters, which bidirectional marks and joiners are among, and odd separators.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector)
}

// oneLine is visible without line ends, and no longer than most characters.
func oneLine(text string, most int) string {
	return shorten(visible(strings.Join(strings.Fields(text), " ")), most)
}

// duration is a time as a person reads it, with three digits that count.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// size is a number of bytes as a person reads it.
func size[N int | int64](n N) string {
	switch f := float64(n); {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case f < 1e6:
		return fmt.Sprintf("%.1f kB", f/1e3)
	case f < 1e9:
		return fmt.Sprintf("%.1f MB", f/1e6)
	default:
		return fmt.Sprintf("%.1f GB", f/1e9)
	}
}

// number groups the digits of a count.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// moment is a time as this machine's clock shows it, with the date when that is not today's.
func moment(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2 Jan 2006 15:04")
}

// outcomeMark says an outcome to those who see no colour, too.
func outcomeMark(outcome string) string {
	switch outcome {
	case "ok":
		return "✓"
	case mcpserver.Running:
		return "▸"
	case "refused", "abandoned":
		return "⊘"
	}
	return "✕"
}

// outcomeClass is the part of the style sheet that an outcome has, whatever a file says.
func outcomeClass(outcome string) string {
	switch outcome {
	case "ok", "refused", "abandoned", mcpserver.Running:
		return outcome
	}
	return "failed"
}
