package main

import (
	"fmt"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver"
)

// size is the length of a text as people and as models count it.
type size struct{ characters, tokens int }

func characters(text string) int { return utf8.RuneCountInString(text) }

func sizeOf(text string) (size, error) {
	tokens, err := countTokens(text)
	return size{characters(text), tokens}, err
}

// sizes are what one server's tools cost in each form in which they may be read.
type sizes struct {
	name                      string
	tools                     int
	raw, full, compact, index size
}

// measurement is what a client would read without codemode beside what it reads now.
type measurement struct {
	servers     []sizes
	total       sizes
	description size
}

// measure takes the servers as they are now.
func measure(server *mcpserver.Server, count func(string) (size, error)) (m measurement, err error) {
	texts := map[codetool.Form]map[string]string{}
	for _, form := range []codetool.Form{codetool.FormFull, codetool.FormCompact, codetool.FormIndex} {
		texts[form] = map[string]string{}
		for _, block := range server.DeclarationsIn(form) {
			texts[form][block.Namespace] = block.Text
		}
	}
	m.total.name = "all"
	for _, s := range server.Servers() {
		one := sizes{name: s.Name, tools: len(s.Tools)}
		raw, err := rawList(s)
		if err != nil {
			return m, err
		}
		for _, part := range []struct {
			text      string
			one, into *size
		}{
			{raw, &one.raw, &m.total.raw},
			{texts[codetool.FormFull][s.Namespace], &one.full, &m.total.full},
			{texts[codetool.FormCompact][s.Namespace], &one.compact, &m.total.compact},
			{texts[codetool.FormIndex][s.Namespace], &one.index, &m.total.index},
		} {
			if *part.one, err = count(part.text); err != nil {
				return m, err
			}
			part.into.characters += part.one.characters
			part.into.tokens += part.one.tokens
		}
		m.total.tools += one.tools
		m.servers = append(m.servers, one)
	}
	m.description, err = count(server.Description())
	return m, err
}

// printStats prints a measurement as a table.
func printStats(term terminal, server *mcpserver.Server) error {
	m, err := measure(server, sizeOf)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\ttools\traw chars\traw tokens\tfull chars\tfull tokens\tcompact chars\tcompact tokens\tindex chars\tindex tokens\t")
	for _, s := range append(m.servers, m.total) {
		fmt.Fprintf(table, "%s\t%d\t", s.name, s.tools)
		for _, one := range []size{s.raw, s.full, s.compact, s.index} {
			fmt.Fprintf(table, "%d\t%d\t", one.characters, one.tokens)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.out, "\nthe code tool's description: %d characters, %d tokens (o200k)\n", m.description.characters, m.description.tokens)
	return err
}
