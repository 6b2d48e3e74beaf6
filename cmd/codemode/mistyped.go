package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
)

// near are the known words that a mistyped one may stand for: of those that begin with it, or it with them, and those a letter or
// two away, the nearest.
func near(word string, known []string) (nearest []string) {
	word = strings.ToLower(word)
	least := 0
	for _, k := range known {
		n := edits(word, k)
		begins := len(word) > 2 && strings.HasPrefix(k, word) || len(k) > 2 && strings.HasPrefix(word, k)
		switch {
		case !begins && n > min(2, len(k)/3):
		case len(nearest) == 0 || n < least:
			nearest, least = []string{k}, n
		case n == least:
			nearest = append(nearest, k)
		}
	}
	return nearest
}

// edits counts the letters to insert, drop, replace or swap with the next that make b of a.
func edits(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// meant asks for the words that a mistyped one is near to; nothing where there is none.
func meant(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "; is " + strings.Join(words, " or ") + " meant?"
}

// unknownCommand says that there is no such verb.
func unknownCommand(name string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	text := fmt.Sprintf("there is no command %q", name) + meant(near(name, names))
	if text[len(text)-1] == '?' {
		return text
	}
	return text + "; `codemode help` lists them"
}

// unknownFlag is the name of the first flag that is none, read as package flag reads a command line, whose errors are texts.
func unknownFlag(flags *flag.FlagSet, args []string) (name string, found bool) {
	for i := 0; i < len(args) && len(args[i]) > 1 && args[i][0] == '-' && args[i] != "--"; i++ {
		name, _, hasValue := strings.Cut(strings.TrimPrefix(args[i][1:], "-"), "=")
		f := flags.Lookup(name)
		if f == nil {
			return name, true
		}
		if boolean, ok := f.Value.(interface{ IsBoolFlag() bool }); !hasValue && !(ok && boolean.IsBoolFlag()) {
			i++ // its value
		}
	}
	return "", false
}

// flagMistake is what is wrong with a command's flags: a name that is none, or what package flag says.
func flagMistake(flags *flag.FlagSet, args []string, err error) error {
	name, found := unknownFlag(flags, args)
	if !found || errors.Is(err, errHelp) {
		return err
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	close := near(name, names)
	for i := range close {
		close[i] = "--" + close[i]
	}
	return fmt.Errorf("there is no flag --%s%s", name, meant(close))
}
