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

// printStats compares what a client would read without codemode with the forms of what it reads now.
func printStats(term terminal, server *mcpserver.Server) error {
	table := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\ttools\traw chars\traw tokens\tfull chars\tfull tokens\tcompact chars\tcompact tokens\tindex chars\tindex tokens\t")
	texts := map[codetool.Form]map[string]string{}
	for _, form := range []codetool.Form{codetool.FormFull, codetool.FormCompact, codetool.FormIndex} {
		texts[form] = map[string]string{}
		for _, block := range server.DeclarationsIn(form) {
			texts[form][block.Namespace] = block.Text
		}
	}
	var total [4]size
	count := 0
	for _, s := range server.Servers() {
		raw, err := rawList(s)
		if err != nil {
			return err
		}
		var row [4]size
		for i, text := range []string{raw, texts[codetool.FormFull][s.Namespace], texts[codetool.FormCompact][s.Namespace], texts[codetool.FormIndex][s.Namespace]} {
			if row[i], err = sizeOf(text); err != nil {
				return err
			}
			total[i].characters += row[i].characters
			total[i].tokens += row[i].tokens
		}
		count += len(s.Tools)
		statsRow(table, s.Name, len(s.Tools), row)
	}
	statsRow(table, "all", count, total)
	if err := table.Flush(); err != nil {
		return err
	}
	described, err := sizeOf(server.Description())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.out, "\nthe code tool's description: %d characters, %d tokens (o200k)\n", described.characters, described.tokens)
	return err
}

func statsRow(table *tabwriter.Writer, name string, tools int, row [4]size) {
	fmt.Fprintf(table, "%s\t%d\t", name, tools)
	for _, s := range row {
		fmt.Fprintf(table, "%d\t%d\t", s.characters, s.tokens)
	}
	fmt.Fprintln(table)
}
