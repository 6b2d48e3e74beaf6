package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
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

// lastFlag is the flag at which reading a command line ended, read once more as package flag does, whose errors are texts; nil is none
// that the command has. It has no value where there is none.
func lastFlag(flags *flag.FlagSet, args []string) (name string, last *flag.Flag, value *string) {
	for args = args[:len(args)-flags.NArg()]; len(args) > 0; {
		text, own, isWhole := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
		name, last, value, args = text, flags.Lookup(text), nil, args[1:]
		if isWhole {
			value = &own
		} else if last != nil && !isBoolean(last) && len(args) > 0 {
			value, args = &args[0], args[1:]
		}
	}
	return name, last, value
}

func isBoolean(f *flag.Flag) bool {
	boolean, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && boolean.IsBoolFlag()
}

// flagMistake is what is wrong with a command's flags.
func flagMistake(flags *flag.FlagSet, args []string, err error) error {
	name, last, value := lastFlag(flags, args)
	switch {
	case errors.Is(err, errHelp), name == "":
		return err
	case last == nil:
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		close := near(name, names)
		for i := range close {
			close[i] = "--" + close[i]
		}
		return fmt.Errorf("there is no flag --%s%s", name, meant(close))
	case value == nil:
		return fmt.Errorf("--%s needs a value", name)
	}
	var kind any
	if known, ok := last.Value.(flag.Getter); ok {
		kind = known.Get()
	}
	switch kind.(type) {
	case time.Duration:
		return fmt.Errorf("--%s is a duration such as 30s or 5m, not %q", name, *value)
	case int, int64:
		return fmt.Errorf("--%s is a whole number, not %q", name, *value)
	case bool:
		return fmt.Errorf("--%s is true or false, not %q", name, *value)
	}
	if why := last.Value.Set(*value); why != nil { // the same again, without words around it
		return fmt.Errorf("--%s %q: %w", name, *value, why)
	}
	return err
}
