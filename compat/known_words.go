package compat

import (
	"encoding/json"
	"regexp"
	"slices"
)

// wordRules: texts that are not the program's own, the engine's and those of functions that the host wrote. Both sides'
// outcomes have to be equal once such texts are taken for the same.
func wordRules() []Rule {
	return []Rule{
		{"engine-of-another-version", ReasonPlatform, func(d *Difference) bool {
			return d.equalReworded(engineWords)
		}},
		{"text-of-a-function-of-the-host", ReasonNoHarness, func(d *Difference) bool {
			return d.equalReworded(hostFunctions)
		}},
	}
}

// rewording says what the two sides call the same thing.
type rewording struct {
	reference, ours *regexp.Regexp
	common          string
}

// engineWords are what the reference's engine says otherwise than ours, which is of an earlier version.
var engineWords = []rewording{
	{regexp.MustCompile(`Invalid language tag: [^\n]*`), regexp.MustCompile(`Incorrect locale information provided`), "a bad locale"},
	{regexp.MustCompile(`Exponent must be positive`), regexp.MustCompile(`undefined must be positive`), "a negative exponent"},
	{
		regexp.MustCompile(`Invalid value -?\w+: not \(convertible to\) a safe integer`),
		regexp.MustCompile(`Invalid value: not \(convertible to\) a safe integer`), "no safe integer",
	},
}

// hostFunctions are the texts of a tool, as toString gives them, and of a function that a case has a tool throw: the
// reference's is printed by the bundler of its harness.
var hostFunctions = []rewording{
	{
		regexp.MustCompile(`async \(\.\.\.args\) => \{\s+const resJson = await __dispatchers\.[\s\S]*?return data\.result;\s+\}`),
		regexp.MustCompile(`async \(\.\.\.args\) => \{\s+return settled\(await host\.dispatch\([^\n]*\s+\}`), "a tool",
	},
	{regexp.MustCompile(`function tool\(\) \{\s*\}`), regexp.MustCompile(`function tool\(\) \{\}`), "a thrown function"},
}

// equalReworded reports whether the outcomes are equal once what the two sides call otherwise has one name.
func (d *Difference) equalReworded(words []rewording) bool {
	if d.Want.Threw != nil || d.Want.Hang != "" || d.Want.JSONError != "" || d.Want.ResultLen > 0 || d.Ours.Err != nil {
		return false
	}
	message, isText := d.Want.ErrorText()
	if !isText && d.Want.Error != nil {
		return false
	}
	theirs, their := renamed(words, func(w rewording) *regexp.Regexp { return w.reference }, d.Want.Result, message, d.Want.Logs)
	ours, our := renamed(words, func(w rewording) *regexp.Regexp { return w.ours }, d.Ours.Result, d.Ours.Error, d.Ours.Logs)
	return their > 0 && their == our && equalAny(theirs, ours)
}

// renamed is an outcome with common names in it, and how many.
func renamed(words []rewording, side func(rewording) *regexp.Regexp, result json.RawMessage, message string, logs []string) (any, int) {
	count := 0
	rename := func(text string) string {
		for _, w := range words {
			text = side(w).ReplaceAllStringFunc(text, func(string) string {
				count++
				return w.common
			})
		}
		return text
	}
	var value any
	if result != nil && json.Unmarshal(result, &value) != nil {
		return nil, 0
	}
	lines := slices.Clone(logs)
	for i := range lines {
		lines[i] = rename(lines[i])
	}
	return map[string]any{"absent": result == nil, "result": mapTexts(value, rename), "error": rename(message), "logs": lines}, count
}

// mapTexts changes every text of a decoded JSON value.
func mapTexts(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = mapTexts(v[i], change)
		}
	case map[string]any:
		for key := range v {
			v[key] = mapTexts(v[key], change)
		}
	}
	return v
}
