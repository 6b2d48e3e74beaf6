package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/compat/casefile"
)

// Newest is the release of the reference that the dialect follows.
const Newest = "0.5.6"

// Expected is what the reference made of one case, as its files record it. Of a long result, error or log only the
// length and the beginning are recorded.
type Expected struct {
	// Result is the value after JSON; JSONUndefined says that JSON.stringify gave undefined, JSONError what it threw,
	// and ResultLen that the text was too long to record.
	Result        json.RawMessage `json:"result"`
	JSONUndefined bool            `json:"jsonUndefined"`
	JSONError     string          `json:"jsonError"`
	ResultLen     int             `json:"resultLen"`
	ResultHead    string          `json:"resultHead"`
	// Error is the error member, mostly a string; ErrorTyped describes one that is not.
	Error      json.RawMessage `json:"error"`
	ErrorTyped json.RawMessage `json:"errorTyped"`
	ErrorLen   int             `json:"errorLen"`
	// Logs are the lines; of many, LogsCount says how many and LogsLen how long the first ones are.
	Logs      []string `json:"logs"`
	LogsCount int      `json:"logsCount"`
	LogsLen   []int    `json:"logsLen"`
	// Threw is set when execute rejected.
	Threw *Threw `json:"threw"`
	// Keys are the own keys of what execute resolved to.
	Keys []string `json:"keys"`
	// Hang says that the reference never answered.
	Hang string `json:"hang"`
	// Calls is what the tools saw, and Typed the result before JSON, where the file records them beside the outcome.
	Calls []typedCall     `json:"calls"`
	Typed json.RawMessage `json:"typed"`
}

// Threw is what execute rejected with.
type Threw struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Ctor    string          `json:"ctor"`
	Own     json.RawMessage `json:"own"`
	Raw     json.RawMessage `json:"raw"`
}

// ErrorText returns the error when it is a string; false when there is none or it is something else.
func (e *Expected) ErrorText() (string, bool) {
	var text string
	if len(e.Error) == 0 || e.Error[0] != '"' || json.Unmarshal(e.Error, &text) != nil {
		return "", false
	}
	return text, true
}

// Outcomes are the expected outcomes of one release.
type Outcomes struct {
	// Release is the column.
	Release string
	// ByName has the release's outcomes, NewestByName those of the newest release.
	ByName, NewestByName map[string]*Expected
}

// LoadExpected reads an expected file of the newest release and, for an older release, puts the outcomes of
// "expected-<release>.diff.json" in the same directory over it. An empty release is the newest.
func LoadExpected(file, release string) (*Outcomes, error) {
	newest, err := readExpected(file)
	if err != nil {
		return nil, err
	}
	if release == "" || release == Newest {
		return &Outcomes{Newest, newest, newest}, nil
	}
	diff, err := readExpected(filepath.Join(filepath.Dir(file), "expected-"+release+".diff.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no outcomes of release %s: %w", release, err)
	}
	if err != nil {
		return nil, err
	}
	column := make(map[string]*Expected, len(newest))
	for name, e := range newest {
		column[name] = e
	}
	for name, e := range diff {
		column[name] = e
	}
	return &Outcomes{release, column, newest}, nil
}

func readExpected(file string) (map[string]*Expected, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := make(map[string]*Expected, len(raw))
	for name, outcome := range raw {
		e, err := parseExpected(outcome)
		if err != nil {
			return nil, fmt.Errorf("%s: outcome of %q: %w", file, name, err)
		}
		out[name] = e
	}
	return out, nil
}

func parseExpected(outcome json.RawMessage) (*Expected, error) {
	decoder := json.NewDecoder(bytes.NewReader(outcome))
	decoder.DisallowUnknownFields()
	e := &Expected{}
	if err := decoder.Decode(e); err != nil {
		return nil, err
	}
	e.Result = member(outcome, "result") // encoding/json takes a null for a member that is not there
	e.Error = member(outcome, "error")
	return e, nil
}

// member returns one member of an object with its bytes as they are; nil when it is not there.
func member(object json.RawMessage, key string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[key]
}

// Diff is one point in which two outcomes differ.
type Diff struct {
	Field    string `json:"field"`
	Expected string `json:"expected"`
	Ours     string `json:"ours"`
}

// Compare compares an outcome of ours with the reference's, whole. Nil means equal.
func Compare(want *Expected, got *casefile.Outcome) []Diff {
	if want.Threw != nil {
		return []Diff{{"threw", want.Threw.Name + ": " + want.Threw.Message, brief(got)}}
	}
	if want.Hang != "" {
		return []Diff{{"hang", want.Hang, brief(got)}}
	}
	if want.JSONError != "" {
		return compareRefused(want, got)
	}
	var diffs []Diff
	add := func(field, expected, ours string) { diffs = append(diffs, Diff{field, expected, ours}) }
	if e, o, ok := compareResult(want, got); !ok {
		add("result", e, o)
	}
	if e, o, ok := compareError(want, got); !ok {
		add("error", e, o)
	}
	if e, o, ok := compareLogs(want, got); !ok {
		add("logs", e, o)
	}
	if keys := ownKeys(got); want.Keys != nil && !slices.Equal(want.Keys, keys) && len(diffs) == 0 {
		add("keys", strings.Join(want.Keys, ","), strings.Join(keys, ","))
	}
	return diffs
}

// compareRefused compares outcomes whose value JSON refuses. Neither side has one after the round trip; it fails in the
// same words, of which the first line is recorded.
func compareRefused(want *Expected, got *casefile.Outcome) []Diff {
	_, message, _ := strings.Cut(want.JSONError, ": ")
	first, _, _ := strings.Cut(got.Error, "\n")
	if got.Result != nil || first != message {
		return []Diff{{"result", "JSON.stringify throws " + want.JSONError, brief(got)}}
	}
	if e, o, ok := compareLogs(want, got); !ok {
		return []Diff{{"logs", e, o}}
	}
	return nil
}

func compareResult(want *Expected, got *casefile.Outcome) (expected, ours string, ok bool) {
	ours = resultText(got.Result)
	switch {
	case want.ResultLen > 0:
		ok = lengthUTF16(ours) == want.ResultLen && strings.HasPrefix(ours, want.ResultHead)
		return fmt.Sprintf("%d characters %s…", want.ResultLen, want.ResultHead),
			fmt.Sprintf("%d characters %.60s…", lengthUTF16(ours), ours), ok
	case want.Result == nil:
		return "undefined", ours, got.Result == nil
	}
	return string(want.Result), ours, got.Result != nil && equalJSON(want.Result, got.Result)
}

func resultText(result json.RawMessage) string {
	if result == nil {
		return "undefined"
	}
	return string(result)
}

func compareError(want *Expected, got *casefile.Outcome) (expected, ours string, ok bool) {
	text, isText := want.ErrorText()
	switch {
	case want.Error == nil && want.ErrorTyped != nil:
		return "error " + string(want.ErrorTyped), got.Error, false
	case want.Error == nil:
		return "none", got.Error, got.Error == ""
	case !isText:
		return string(want.Error), errorText(got), got.ErrorJSON != nil && equalJSON(want.Error, got.ErrorJSON)
	case want.ErrorLen > 0:
		ok = lengthUTF16(got.Error) == want.ErrorLen && strings.HasPrefix(got.Error, text)
		return fmt.Sprintf("%d characters %s…", want.ErrorLen, text), got.Error, ok
	}
	return text, errorText(got), got.ErrorJSON == nil && got.Error == text
}

func errorText(o *casefile.Outcome) string {
	if o.ErrorJSON != nil {
		return string(o.ErrorJSON)
	}
	return o.Error
}

func compareLogs(want *Expected, got *casefile.Outcome) (expected, ours string, ok bool) {
	expected, ours = logsText(want.Logs), logsText(got.Logs)
	if want.LogsCount == 0 {
		return expected, ours, slices.Equal(want.Logs, got.Logs)
	}
	expected = fmt.Sprintf("%d lines %s…", want.LogsCount, expected)
	ok = len(got.Logs) == want.LogsCount
	for i, head := range want.Logs {
		ok = ok && strings.HasPrefix(got.Logs[i], head)
	}
	for i, length := range want.LogsLen {
		ok = ok && lengthUTF16(got.Logs[i]) == length
	}
	return expected, fmt.Sprintf("%d lines %s", len(got.Logs), ours), ok
}

func logsText(logs []string) string {
	if logs == nil {
		return "none"
	}
	text, _ := json.Marshal(logs) // strings always have a rendering
	return string(text)
}

// ownKeys are the keys that the dialect's result has in JavaScript.
func ownKeys(o *casefile.Outcome) []string {
	keys := []string{"result"}
	if o.Error != "" {
		keys = append(keys, "error")
	}
	if o.Logs != nil {
		keys = append(keys, "logs")
	}
	return keys
}

func brief(o *casefile.Outcome) string { return strings.TrimSpace(string(o.Line())) }
