package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// pageSize is how many runs a page of the list has.
const pageSize = 50

// listView is the list of runs.
type listView struct {
	frame
	Query    string
	Filters  []filterLink
	Outcome  string
	Runs     []Summary
	All      int // that the filter lets through
	Kept     int
	Dropped  int
	From, To int
	Newer    string
	Older    string
}

type filterLink struct {
	Label, URL string
	Current    bool
}

func (p *Page) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	text := shorten(query.Get("q"), 500)
	wanted := newFilter(query.Get("show"), text)
	number, _ := strconv.Atoi(query.Get("page")) // what is no number is the first page
	number = max(1, min(number, 1+DefaultMaxRuns))
	from := (number - 1) * pageSize
	v := listView{frame: p.frame("Runs", "runs", "*"), Query: text, Outcome: wanted.outcome}
	v.Runs, v.All, v.Kept, v.Dropped = p.store.Select(wanted.matches, from, pageSize)
	v.From, v.To = from+1, from+len(v.Runs)
	if number > 1 {
		v.Newer = listURL(text, wanted.outcome, number-1)
	}
	if v.To < v.All && len(v.Runs) > 0 {
		v.Older = listURL(text, wanted.outcome, number+1)
	}
	for _, show := range append([]string{""}, outcomes...) {
		label := show
		if show == "" {
			label = "all"
		}
		v.Filters = append(v.Filters, filterLink{label, listURL(text, show, 1), show == wanted.outcome})
	}
	render(w, http.StatusOK, "list", v)
}

func listURL(text, show string, page int) string {
	query := url.Values{}
	if text != "" {
		query.Set("q", text)
	}
	if show != "" {
		query.Set("show", show)
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	return "/?" + query.Encode()
}

// Where is the servers that a run called, in few words.
func (s Summary) Where() string {
	const most = 3
	if len(s.Servers) > most {
		return strings.Join(s.Servers[:most], ", ") + " and " + counted(len(s.Servers)-most, "more server")
	}
	return strings.Join(s.Servers, ", ")
}

// Reason is the first line of the error: what follows is for the model.
func (s Summary) Reason() string {
	first, _, _ := strings.Cut(s.Error, "\n")
	return first
}
