package config

import "github.com/codemode-go/codemode/codetool"

// Pins says which tools are withheld when they change. Its zero value withholds none.
type Pins struct {
	// File is where the hashes of tools are kept; empty pins nothing.
	File string
	// Servers are globs over servers' names; none is all servers.
	Servers []string
	// WithholdNew withholds a tool that a known server did not have before, too.
	WithholdNew bool
}

var pinFields = []field{
	{key: "servers", shape: shapeCommand, standard: "every server", doc: "Globs over the names or namespaces of the servers whose tools are pinned. Case does not count."},
	{key: "newTools", shape: shapeString, values: []string{"allow", "withhold"}, standard: "allow", doc: "What happens to a tool that a server did not have when it was first seen. All tools of a server that is first seen are taken as they are; a server is its name with command, args, cwd, url and openapi as the file writes them, so with a token in these that is no ${VAR} each new token makes a new one. With allow, too, the names after a server's first 20,000 are withheld."},
	{key: "file", shape: shapeString, standard: "codemode/pins.json where this system keeps state", doc: "The file with their hashes."},
}

func (s *Settings) readPins(file string, in *node) error {
	var p Pins
	err := readFields(file, "codemode.pins", in, pinFields, func(key string, value *node) (err error) {
		switch key {
		case "servers":
			p.Servers, err = globs(value)
			return err
		case "newTools":
			p.WithholdNew = value.text == "withhold"
		case "file":
			r := reader{file: file}
			p.File = r.absolute(value.text)
		}
		return nil
	})
	if err == nil && p.File == "" {
		p.File, err = stateFile("pins.json")
	}
	s.Pins = p
	return err
}

// Has reports whether the tools of a server are pinned, by its names.
func (p *Pins) Has(server ...string) bool {
	if p.File == "" || len(p.Servers) == 0 {
		return p.File != ""
	}
	return codetool.Matches(p.Servers, server...)
}
