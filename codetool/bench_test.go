package codetool

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// everything is a tool over all captured servers, some 1,500 functions.
func everything(b *testing.B) (*Tool, []Provider) {
	providers, _ := captured(b)
	tool, _ := newTestTool(b, &Options{Search: true}, providers, ends(protocol.ExecuteResult{}))
	return tool, providers
}

// BenchmarkSearch looks for words among 1,500 functions.
func BenchmarkSearch(b *testing.B) {
	tool, _ := everything(b)
	args := []json.RawMessage{json.RawMessage(`"open issues of a repository"`)}
	tool.catalogue.ranked() // the first search makes the index
	for b.Loop() {
		if _, err := tool.catalogue.answerSearch(b.Context(), args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDescribe declares one of 1,500 functions.
func BenchmarkDescribe(b *testing.B) {
	tool, _ := everything(b)
	name, _ := json.Marshal(tool.catalogue.tools[len(tool.catalogue.tools)-1].path())
	for b.Loop() {
		if _, err := tool.catalogue.answerDescribe(b.Context(), []json.RawMessage{name}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOneServerChanges declares 1,500 functions anew after those of one server have changed.
func BenchmarkOneServerChanges(b *testing.B) {
	tool, providers := everything(b)
	tool.Declarations()
	last := &providers[len(providers)-1]
	for b.Loop() {
		last.Tools = append([]RawTool{}, last.Tools...)
		last.Tools[0].Description += "."
		tool = tool.With(providers)
		tool.Declarations()
	}
}

// BenchmarkMemory is a tool of 1,500 functions with its descriptions and its index; the metric is what it holds.
func BenchmarkMemory(b *testing.B) {
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	var tool *Tool
	for b.Loop() {
		providers, _ := captured(b)
		tool = NewTool(&fakeExecutor{}, providers, &Options{Search: true})
		tool.Description()
		tool.DescriptionWithin(CompactHead)
		if _, err := tool.catalogue.answerSearch(b.Context(), []json.RawMessage{json.RawMessage(`"x"`)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(held()-before)/(1<<20), "MiB-held")
	runtime.KeepAlive(tool)
}
