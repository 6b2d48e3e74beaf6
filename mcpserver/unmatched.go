package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// Unmatched lists the globs of the configuration that match nothing: those over servers that no server has the name of, and
// those over tools that no tool of the servers has which they are about. Most are misspelled, and a rule that is denies
// nothing. A glob that a server's tools might match, which is not up, is left out.
func (s *Server) Unmatched() []string {
	g := s.whole().generation()
	return g.unmatched(g.fleet())
}

// listedServer is a server as globs see it.
type listedServer struct {
	names []string
	tools [][]string // the names of each
	// known says that the tools are those of a server that was ready.
	known bool
	idle  []string // see upstream.Status
}

// fleet is every server of the configuration.
func (g *generation) fleet() []listedServer {
	var fleet []listedServer
	for _, u := range g.upstreams {
		status := u.Status()
		one := listedServer{names: []string{status.Name, status.Namespace}, known: wasReady(&status), idle: status.Idle}
		for _, tool := range status.Tools {
			one.tools = append(one.tools, []string{tool.Name, tool.Identifier})
		}
		one.tools = append(one.tools, []string{readResource}, []string{getPrompt}, []string{listResources}, []string{listPrompts})
		fleet = append(fleet, one)
	}
	for _, p := range g.options.Problems {
		fleet = append(fleet, listedServer{names: []string{p.Server, config.Namespace(p.Server)}})
	}
	return fleet
}

func wasReady(status *upstream.Status) bool {
	return status.State == upstream.Ready || status.State == upstream.Stopped && status.StartTook > 0
}

func (g *generation) unmatched(fleet []listedServer) (list []string) {
	for i, rule := range g.options.Policy.Rules {
		at := fmt.Sprintf("codemode.policy: rule %d (%s)", i+1, rule.Action)
		list = append(list, unmatchedServers(fleet, at+": server", rule.Servers)...)
		about := slices.DeleteFunc(slices.Clone(fleet), func(one listedServer) bool {
			return len(rule.Servers) > 0 && !codetool.Matches(rule.Servers, one.names...)
		})
		list = append(list, unmatchedTools(about, at+": tool", rule.Tools, func(_ *listedServer, tool []string, glob string) bool {
			return codetool.Matches([]string{glob}, tool...)
		})...)
	}
	list = append(list, unmatchedServers(fleet, "codemode.pins: servers", g.options.Pins.Servers)...)
	for _, view := range g.options.Views {
		at := fmt.Sprintf("codemode.views: %q", view.Name)
		list = append(list, unmatchedServers(fleet, at+": servers", view.Servers)...)
		list = append(list, unmatchedInView(fleet, at+": tools", &view)...)
	}
	for _, one := range fleet {
		for _, idle := range one.idle {
			if one.known {
				list = append(list, fmt.Sprintf("server %q: %s, which matches no tool", one.names[0], idle))
			}
		}
	}
	return list
}

func unmatchedServers(fleet []listedServer, at string, globs []string) (list []string) {
	for _, glob := range globs {
		if !slices.ContainsFunc(fleet, func(one listedServer) bool { return codetool.Matches([]string{glob}, one.names...) }) {
			list = append(list, fmt.Sprintf("%s has %q, which matches no server", at, glob))
		}
	}
	return list
}

// unmatchedTools are the globs that match none of the tools of servers. Of no server there is nothing to say but that.
func unmatchedTools(servers []listedServer, at string, globs []string, has func(server *listedServer, tool []string, glob string) bool) (list []string) {
	if slices.ContainsFunc(servers, func(one listedServer) bool { return !one.known }) {
		return nil
	}
	for _, glob := range globs {
		if len(servers) > 0 && !slices.ContainsFunc(servers, func(one listedServer) bool {
			return slices.ContainsFunc(one.tools, func(tool []string) bool { return has(&one, tool, glob) })
		}) {
			list = append(list, fmt.Sprintf("%s has %q, which matches no tool", at, glob))
		}
	}
	return list
}

// unmatchedInView is unmatchedTools of a view, whose globs may name servers, too.
func unmatchedInView(fleet []listedServer, at string, view *config.View) (list []string) {
	for _, glob := range view.Tools {
		only := config.View{Servers: view.Servers, Tools: []string{glob}}
		about := slices.DeleteFunc(slices.Clone(fleet), func(one listedServer) bool { return !only.HasServer(one.names...) })
		if len(about) == 0 && strings.Contains(glob, ".") {
			list = append(list, fmt.Sprintf("%s has %q, which matches no server", at, glob))
		}
		list = append(list, unmatchedTools(about, at, []string{glob}, func(one *listedServer, tool []string, _ string) bool {
			return only.HasTool(one.names, tool, true)
		})...)
	}
	return list
}

// warnUnmatched logs what is unmatched and was not so before, in one line, once no server is about to start.
func (s *Server) warnUnmatched(g *generation) {
	for _, u := range g.upstreams {
		if status := u.Status(); status.State != upstream.Failed && !wasReady(&status) {
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	fresh := slices.DeleteFunc(g.unmatched(g.fleet()), func(one string) bool { return slices.Contains(g.told, one) })
	g.told = append(g.told, fresh...)
	if len(fresh) > 0 {
		s.log.Warn("globs of the configuration match nothing; are they misspelled?", "globs", strings.Join(fresh, "; "))
	}
}
