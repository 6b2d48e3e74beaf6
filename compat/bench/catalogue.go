package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/protocol"
)

// Catalogue are the figures of what a model reads of many tools, with where they come from.
type Catalogue struct {
	Date     string    `json:"date"`
	Machine  string    `json:"machine"`
	Tools    int       `json:"tools"`
	Measures []Measure `json:"measures"`
}

// RunCatalogue measures declarations, search and describe over all tools of a directory of tools/list answers, each of which is a
// namespace.
func RunCatalogue(ctx context.Context, dir string, options *Options) (*Catalogue, error) {
	o := resolve(options)
	providers, raw, err := captured(dir)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine()}
	for _, p := range providers {
		c.Tools += len(p.Tools)
	}
	b := &catalogueBench{options: o, providers: providers}
	before := heap()
	tool := b.tool()
	tool.Declarations()
	defer tool.Close()
	var fresh *codetool.Tool
	full := b.median("declarations", func() { fresh = b.tool() }, func() { fresh.Declarations() })
	changed := b.median("declarations after one server's change", func() {}, func() { tool = b.changed(tool) })
	search, err := b.lookUp(ctx, tool, codetool.SearchName, "open issues of a repository")
	if err != nil {
		return nil, err
	}
	last := &providers[len(providers)-1]
	describe, err := b.lookUp(ctx, tool, codetool.DescribeName, codetool.NamespaceName(last.Name)+"."+last.Tools[0].Name)
	if err != nil {
		return nil, err
	}
	tool.Description()
	tool.DescriptionWithin(codetool.CompactHead)
	held := float64(heap()-before) / 1e6
	share := func(form codetool.Form) float64 {
		length := 0
		for _, block := range codetool.Declare(providers, form) {
			length += len([]rune(block.Text))
		}
		return 100 * float64(length) / float64(raw)
	}
	c.Measures = []Measure{
		{"full declarations of all", "ms", full, 60},
		{"the same after one server has changed", "ms", changed, 60},
		{"search", "ms", search, 2},
		{"describe", "ms", describe, 1},
		{"memory of a tool with its descriptions and index", "MB", held, 40},
		{"compact declarations, of the characters of tools/list", "%", share(codetool.FormCompact), 45},
		{"index, of the same", "%", share(codetool.FormIndex), 6},
	}
	runtime.KeepAlive(tool)
	return c, nil
}

// captured reads the answers, and counts their characters.
func captured(dir string) (providers []codetool.Provider, raw int, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) == 0 {
		return nil, 0, fmt.Errorf("there are no tools/list answers in %s", dir)
	}
	call := func(context.Context, json.RawMessage) (any, error) { return nil, errNotRun }
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, 0, err
		}
		var list struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", file, err)
		}
		p := codetool.Provider{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		for _, tool := range list.Tools {
			p.Tools = append(p.Tools, codetool.RawTool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema, Call: call})
			one, err := json.Marshal(tool)
			if err != nil {
				return nil, 0, err
			}
			raw += len([]rune(string(one))) + len(",")
		}
		providers = append(providers, p)
	}
	return providers, raw, nil
}

var errNotRun = errors.New("no tool is called here")

type catalogueBench struct {
	options   Options
	providers []codetool.Provider
	executor  lookUps
}

func (b *catalogueBench) tool() *codetool.Tool {
	return codetool.NewTool(&b.executor, b.providers, &codetool.Options{Search: true})
}

// changed is the tool after the last server's first tool has other words.
func (b *catalogueBench) changed(tool *codetool.Tool) *codetool.Tool {
	last := &b.providers[len(b.providers)-1]
	last.Tools = append([]codetool.RawTool{}, last.Tools...)
	last.Tools[0].Description += "."
	next := tool.With(b.providers)
	next.Declarations()
	return next
}

// median is how long work takes after prepare, in milliseconds, after once that warms up.
func (b *catalogueBench) median(name string, prepare, work func()) float64 {
	b.options.Log(name)
	var times []float64
	for round := range b.options.Rounds + 1 {
		prepare()
		began := time.Now()
		work()
		if round > 0 {
			times = append(times, milliseconds(time.Since(began)))
		}
	}
	return median(times)
}

// lookUp is how long one of the two functions of programs takes, without the program around it.
func (b *catalogueBench) lookUp(ctx context.Context, tool *codetool.Tool, function, argument string) (float64, error) {
	b.options.Log(function)
	arguments, err := json.Marshal([]string{argument})
	if err != nil {
		return 0, err
	}
	var times []float64
	for round := range b.options.Rounds + 1 {
		b.executor.function, b.executor.arguments = function, string(arguments)
		if _, err := tool.Call(ctx, "async () => {}"); err != nil {
			return 0, err
		}
		if round > 0 {
			times = append(times, milliseconds(b.executor.took))
		}
	}
	return median(times), nil
}

// lookUps is an executor that makes one call in place of the program, and takes its time.
type lookUps struct {
	function, arguments string
	took                time.Duration
}

// Execute implements protocol.Executor.
func (l *lookUps) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	began := time.Now()
	text, err := request.Dispatch(ctx, codetool.DefaultNamespace, l.function, l.arguments)
	l.took = time.Since(began)
	if err != nil {
		return nil, err
	}
	envelope, err := protocol.ParseEnvelope(text)
	if err != nil {
		return nil, err
	}
	if envelope.Error != nil {
		return nil, errors.New(*envelope.Error)
	}
	return &protocol.ExecuteResult{Value: envelope.Result}, nil
}

// Close implements protocol.Executor.
func (l *lookUps) Close() error { return nil }

// heap is what is held, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
