//go:build cgo && (linux || darwin)

package worker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// thrown is what describe of 60_run.js tells of a failure.
type thrown struct {
	Kind, Name, Message string
	Stack               string
	Frames              []frame
	Thrown              string
	Limit               string
	LimitValue          int64
	Provider            string
	Causes              []string
}

// untaken are the promises that nobody has taken so far, of a program that did not come to its end.
func (r *run) untaken() []wire.Rejection {
	isolate := r.box.isolate
	take, err := r.box.host.Get("unhandled")
	if err != nil {
		return nil
	}
	defer take.Release()
	text, err := isolate.Call(take)
	if err != nil {
		return nil
	}
	defer text.Release()
	return r.rejections(text.String())
}

// rejections reads what rejections.js tells of promises that nobody took.
func (r *run) rejections(text string) []wire.Rejection {
	var all []struct {
		thrown
		Call string
	}
	if text == "[]" || json.Unmarshal([]byte(text), &all) != nil || r.program == nil {
		return nil
	}
	out := make([]wire.Rejection, len(all))
	for i, one := range all {
		if one.Frames == nil {
			one.Frames = framesIn(one.Stack)
		}
		var at wire.Failure
		r.program.trace(one.Frames, &at)
		out[i] = wire.Rejection{Name: one.Name, Message: r.program.words(one.Message), Call: one.Call, File: at.File, Line: at.Line, Column: at.Column}
	}
	return out
}

// frame is one line of a stack: its text as the engine renders it, and where it is.
type frame struct {
	text, script string
	line, column int
}

func (f *frame) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&f.text, &f.script, &f.line, &f.column})
}

// failure makes a Failure of the text that 60_run.js hands over.
func (p *program) failure(text string) wire.Failure {
	var t thrown
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return wire.Failure{Kind: "crashed", Message: "the worker's own script failed: " + err.Error()}
	}
	t.Message = p.words(t.Message)
	f := wire.Failure{Kind: t.Kind, Name: t.Name, Message: t.Message, Thrown: t.Thrown, Limit: t.Limit, LimitValue: t.LimitValue}
	for _, cause := range t.Causes {
		f.Causes = append(f.Causes, p.words(cause))
	}
	if t.Provider != "" {
		f.Message = fmt.Sprintf("the source of provider %q: %s", t.Provider, f.Message)
	}
	if t.Frames == nil {
		t.Frames = framesIn(t.Stack)
	}
	lines := p.trace(t.Frames, &f)
	if len(lines) > 0 {
		header := t.Name
		if t.Message != "" && t.Message != t.Name {
			header += ": " + t.Message
		}
		f.Stack = header + "\n    at " + strings.Join(lines, "\n    at ")
	}
	return f
}

// trace gives the frames of the program, in its text's own positions, and sets the failure's position to the first.
// Frames of the worker's scripts are left out, with those of builtins that they called.
func (p *program) trace(frames []frame, f *wire.Failure) []string {
	var lines, builtins []string
	for _, frame := range frames {
		switch frame.script {
		case programName:
			file, line, column, ok := p.position(frame.line, frame.column)
			if !ok {
				builtins = nil
				continue
			}
			if f.Line == 0 {
				f.File, f.Line, f.Column = file, line, column
			}
			was := fmt.Sprintf("%s:%d:%d", programName, frame.line, frame.column)
			is := fmt.Sprintf("%s:%d:%d", shown(file), line, column)
			lines = append(append(lines, builtins...), strings.Replace(frame.text, was, is, 1))
			builtins = nil
		case "":
			builtins = append(builtins, frame.text)
		default:
			builtins = nil
		}
	}
	return lines
}

// location is the end of a stack's line: a script's name, a line and a column, in brackets or not.
var location = regexp.MustCompile(`(?:^|[ (])([^\s()]+):(\d+):(\d+)\)?$`)

// framesIn reads a stack that the engine has formatted: its last lines that look like frames.
func framesIn(stack string) []frame {
	lines := strings.Split(stack, "\n")
	first := len(lines)
	for first > 0 && strings.HasPrefix(lines[first-1], "    at ") {
		first--
	}
	var frames []frame
	for _, line := range lines[first:] {
		f := frame{text: strings.TrimPrefix(line, "    at ")}
		if m := location.FindStringSubmatch(f.text); m != nil {
			f.script = m[1]
			f.line, _ = strconv.Atoi(m[2])
			f.column, _ = strconv.Atoi(m[3])
		}
		frames = append(frames, f)
	}
	return frames
}
