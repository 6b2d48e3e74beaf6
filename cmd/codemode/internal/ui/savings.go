package ui

import (
	"fmt"
	"net/http"

	"github.com/codemode-go/codemode/mcpserver"
)

// Savings is what the one tool costs and saves, in tokens.
type Savings struct {
	// Raw is what a client reads of all servers without codemode, Description what it reads now.
	Raw, Description int
	Servers          []ServerTokens
	// Counted says by which vocabulary.
	Counted string
}

// ServerTokens is the same for one server: its own list, and the forms that a description may have.
type ServerTokens struct {
	Name               string
	Tools              int
	Raw, Full, Compact int
}

// tokensView is the chart.
type tokensView struct {
	frame
	Known   bool
	Failed  string
	Savings *Savings
	Bars    []bar
	Servers []serverBars
	Results results
}

// bar is one line of a chart, in percent of its longest.
type bar struct {
	Label, Value, Width, Class string
}

type serverBars struct {
	Name  string
	Tools int
	Bars  []bar
}

// results is what the servers answered to the programs that are kept, and what the programs made of it.
type results struct {
	Runs, Calls        int
	ToolBytes, Answers int
	Bars               []bar
}

func (p *Page) tokens(w http.ResponseWriter, _ *http.Request) {
	v := tokensView{frame: p.frame("Tokens", "tokens", "*"), Results: p.results()}
	if p.options.Savings != nil {
		savings, err := p.options.Savings()
		if err != nil {
			v.Failed = err.Error()
		} else {
			v.Known, v.Savings = true, savings
			v.chart()
		}
	}
	render(w, http.StatusOK, "tokens", v)
}

func (v *tokensView) chart() {
	s := v.Savings
	v.Bars = bars([]string{"Without codemode", "With codemode"}, []string{"raw", "ours"}, []int{s.Raw, s.Description}, max(s.Raw, s.Description), tokenCount)
	longest := 0
	for _, one := range s.Servers {
		longest = max(longest, one.Raw, one.Full, one.Compact)
	}
	for _, one := range s.Servers {
		if one.Tools == 0 {
			continue // it is down
		}
		v.Servers = append(v.Servers, serverBars{one.Name, one.Tools,
			bars([]string{"Own list", "Full", "Compact"}, []string{"raw", "ours", "compact"}, []int{one.Raw, one.Full, one.Compact}, longest, tokenCount)})
	}
}

func tokenCount(n int) string { return number(n) }

// bars draws numbers beside each other.
func bars(labels, classes []string, values []int, longest int, word func(int) string) []bar {
	list := make([]bar, len(values))
	for i, value := range values {
		list[i] = bar{labels[i], word(value), fmt.Sprintf("%.2f%%", 100*float64(value)/float64(max(1, longest))), classes[i]}
	}
	return list
}

// Saved says in a sentence what the description saves, or costs.
func (s *Savings) Saved() string {
	tools := 0
	for _, one := range s.Servers {
		tools += one.Tools
	}
	switch {
	case tools == 0:
		return "No server has listed a tool yet."
	case s.Description <= s.Raw:
		return fmt.Sprintf("%s tokens less in every conversation: %.0f%% of the servers' own lists.", number(s.Raw-s.Description), 100*float64(s.Description)/float64(s.Raw))
	}
	return fmt.Sprintf("%s tokens more in every conversation: with few tools the description costs more than it replaces. What pays then are results that stay out of the context.", number(s.Description-s.Raw))
}

// results adds up the runs that went well: what failed kept nothing out for a purpose.
func (p *Page) results() (r results) {
	list, _, _, _ := p.store.Select(func(run *mcpserver.AuditRun) bool { return run.Outcome == "ok" }, 0, DefaultMaxRuns)
	for _, one := range list {
		r.Runs++
		r.Calls += one.Calls
		r.ToolBytes += one.ToolBytes
		r.Answers += one.ResultBytes
	}
	r.Bars = bars([]string{"Servers answered", "Programs returned"}, []string{"raw", "ours"}, []int{r.ToolBytes, r.Answers}, max(r.ToolBytes, r.Answers), size[int])
	return r
}

// Share says how much of the servers' answers stayed out of the context.
func (r results) Share() string {
	if r.ToolBytes <= r.Answers {
		return "Nothing stayed out of the context: the programs returned as much as they were given."
	}
	return fmt.Sprintf("%s, %.1f%% of what the servers answered, never reached the model.", size(r.ToolBytes-r.Answers), 100*float64(r.ToolBytes-r.Answers)/float64(r.ToolBytes))
}
