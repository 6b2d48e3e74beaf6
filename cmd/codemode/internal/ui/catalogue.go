package ui

import (
	"net/http"
	"strings"
)

// Catalogue is what the servers offer.
type Catalogue struct {
	Servers []Server
}

// Server is one namespace.
type Server struct {
	Name, Namespace string
	// State is starting, ready, failed or stopped; Reason says why.
	State, Reason string
	// About is what the server calls itself, with its version.
	About     string
	Functions []Function
}

// Function is one function that programs may call.
type Function struct {
	// Path is what programs call it, Description what its server says of it, Declaration its TypeScript.
	Path, Description, Declaration string
}

// maxDeclared bounds the functions that a page declares: what is beyond is found with a search.
const maxDeclared = 300

// catalogueView is the catalogue as it was searched.
type catalogueView struct {
	frame
	Known   bool
	Query   string
	Server  string // the namespace that is looked at; empty is all
	Names   []serverLink
	Servers []serverView
	Found   int
	All     int
	Hidden  int
}

type serverLink struct {
	Name    string
	Count   int
	Current bool
}

type serverView struct {
	Server
	Functions []functionView
}

type functionView struct {
	Function
	Lines []Line
}

func (p *Page) catalogue(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := catalogueView{frame: p.frame("Catalogue", "catalogue", ""), Query: shorten(query.Get("q"), 500), Server: query.Get("server")}
	if p.options.Catalogue != nil {
		v.Known = true
		v.find(p.options.Catalogue())
	}
	render(w, http.StatusOK, "catalogue", v)
}

// find takes the functions that have all words of the query in their name, description or declaration.
func (v *catalogueView) find(all Catalogue) {
	words := strings.Fields(strings.ToLower(v.Query))
	for _, s := range all.Servers {
		v.All += len(s.Functions)
		v.Names = append(v.Names, serverLink{s.Namespace, len(s.Functions), s.Namespace == v.Server})
		if v.Server != "" && v.Server != s.Namespace {
			continue
		}
		one := serverView{Server: s}
		for _, f := range s.Functions {
			if !f.has(words) {
				continue
			}
			if v.Found++; v.Found > maxDeclared {
				v.Hidden++
				continue
			}
			one.Functions = append(one.Functions, functionView{f, highlight(f.Declaration, 0)})
		}
		if len(one.Functions) > 0 || len(words) == 0 {
			v.Servers = append(v.Servers, one)
		}
	}
}

func (f *Function) has(words []string) bool {
	for _, word := range words {
		if !contains(f.Path, word) && !contains(f.Description, word) && !contains(f.Declaration, word) {
			return false
		}
	}
	return true
}
