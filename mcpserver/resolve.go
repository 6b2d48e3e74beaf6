package mcpserver

import (
	"errors"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
)

// ResolveCommand finds the program that a server of a configuration would start, the way its start does. When there is
// none, tried are the directories in which it was looked for.
func ResolveCommand(s *config.Server) (file string, tried []string, err error) {
	path := ""
	for _, v := range child.Environment(environmentOf(s), s.InheritEnv) {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			path = rest
		}
	}
	file, err = child.LookPath(s.Command, path)
	if missing := (*child.NotFoundError)(nil); errors.As(err, &missing) {
		tried = missing.Tried
	}
	return file, tried, err
}

func environmentOf(s *config.Server) []string {
	list := make([]string, 0, len(s.Env))
	for _, v := range s.Env {
		list = append(list, v.Name+"="+v.Value)
	}
	return list
}
