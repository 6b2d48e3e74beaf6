package config

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/codetool"
)

// View is what some clients see over HTTP. For them there is nothing beside it.
type View struct {
	// Name is for messages.
	Name string
	// Token is the bearer token of its clients. It is empty when there is none, or when a variable of it has no value; then nobody has
	// the view by it.
	Token string
	// Claims are what an access token has to say for its clients to have the view, all of them, see ResourceServer. None is that
	// nobody has it by an access token.
	Claims map[string]string
	// Servers and Tools are globs; none is all, see HasServer and HasTool.
	Servers, Tools []string
	// ReadOnly leaves only tools that say that they only read.
	ReadOnly bool
}

var viewFields = []field{
	{key: "name", shape: shapeString, doc: "What messages call the view. Of several files' views with one name the later file's counts."},
	{key: "token", shape: shapeString, doc: "The bearer token of its clients, better a ${keychain:…} or ${VAR}; without a value nobody has the view by it."},
	{key: "claims", shape: shapeMap, doc: "With http.oauth, what an access token says whose clients have the view: {claim: value}, all of them. A claim may be a list with the value in it; `scope` is one of the scopes; a name with dots leads into objects. Of several views that fit the first counts. Where any view has claims, an access token that fits none is refused."},
	{key: "servers", shape: shapeCommand, standard: "those that tools names, else every server", doc: "Globs over servers' names or namespaces. Case does not count."},
	{key: "tools", shape: shapeCommand, standard: "every tool of the servers", doc: "Globs over tools' names, the servers' own (`get-sum`) or those that programs call (`get_sum`), or over SERVER.TOOL where they have a dot. Case does not count. With them a server's resources are there when readResource is among them, and its prompts when getPrompt is, which `get*` matches, too. Of a server that neither servers nor a SERVER.TOOL names, nothing is told but what the view has of it."},
	{key: "readOnly", shape: shapeBool, standard: "false", doc: "Only tools of which their servers say that they only read."},
}

// HasServer reports whether a server is in the view, by its names: one that Servers matches and, where each of Tools names
// servers, one of those.
func (v *View) HasServer(server ...string) bool {
	if len(v.Servers) > 0 && !codetool.Matches(v.Servers, server...) {
		return false
	}
	return len(v.Tools) == 0 || slices.ContainsFunc(v.Tools, func(glob string) bool {
		return namesServer(glob, server) || !strings.Contains(glob, ".")
	})
}

// NamesServer reports whether the view says itself that a server is in it, by Servers or by SERVER.TOOL in Tools. Of another
// one it has what HasTool says, and nothing more: not even that it is there.
func (v *View) NamesServer(server ...string) bool {
	if len(v.Servers) > 0 {
		return v.HasServer(server...)
	}
	return slices.ContainsFunc(v.Tools, func(glob string) bool { return namesServer(glob, server) })
}

// namesServer reports whether a glob is one of SERVER.TOOL for a server.
func namesServer(glob string, server []string) bool {
	for i := range glob {
		if glob[i] == '.' && codetool.Matches([]string{glob[:i]}, server...) {
			return true
		}
	}
	return false
}

// HasTool reports whether a tool is in the view, by the server's names and its own; readOnly is what its server says of it.
func (v *View) HasTool(server, tool []string, readOnly bool) bool {
	if !v.HasServer(server...) || v.ReadOnly && !readOnly {
		return false
	}
	var whole []string
	for _, s := range server {
		for _, t := range tool {
			whole = append(whole, s+"."+t)
		}
	}
	return len(v.Tools) == 0 || slices.ContainsFunc(v.Tools, func(glob string) bool {
		if strings.Contains(glob, ".") {
			return codetool.Matches([]string{glob}, whole...)
		}
		return codetool.Matches([]string{glob}, tool...)
	})
}

func (s *Settings) readViews(file string, in *node, expand func(string) (string, error), warn func(file, format string, args ...any)) error {
	var read []string
	for i, item := range in.items {
		at := fmt.Sprintf("codemode.views[%d]", i)
		v, err := readView(file, at, item)
		if err != nil {
			return err
		}
		if item.get("token") != nil {
			if v.Token, err = expand(v.Token); err != nil || v.Token == "" {
				v.Token = ""
				warn(file, "%s: nobody has the view %q by its token: token %s", at, v.Name, whyEmpty(err))
			}
		}
		if slices.Contains(read, v.Name) {
			return fmt.Errorf("%s %s has the name of another view, %q", place(file, item.at), at, v.Name)
		}
		read = append(read, v.Name)
		s.Views = append(slices.DeleteFunc(s.Views, func(one View) bool { return one.Name == v.Name }), v)
		if slices.ContainsFunc(s.Views, func(one View) bool { return one.Name != v.Name && one.Token == v.Token && v.Token != "" }) {
			return fmt.Errorf("%s %s.token is that of another view, too", place(file, item.at), at)
		}
	}
	return nil
}

func whyEmpty(err error) string {
	if err == nil {
		return "is empty"
	}
	return err.Error()
}

// readView reads one view, with its token as it is written.
func readView(file, at string, item *node) (v View, err error) {
	err = readFields(file, at, item, viewFields, func(key string, value *node) (err error) {
		switch key {
		case "name":
			v.Name = value.text
		case "token":
			v.Token = value.text
		case "claims":
			v.Claims, err = readClaims(value)
		case "servers":
			v.Servers, err = globs(value)
		case "tools":
			v.Tools, err = globs(value)
		case "readOnly":
			v.ReadOnly = value.is("true")
		}
		return err
	})
	switch {
	case err != nil:
		return v, err
	case v.Name == "":
		return v, fmt.Errorf("%s %s has no name", place(file, item.at), at)
	case item.get("token") == nil && v.Claims == nil:
		return v, fmt.Errorf("%s %s has no token and no claims", place(file, item.at), at)
	}
	return v, nil
}

func readClaims(value *node) (map[string]string, error) {
	if err := mustBe(value, isObject); err != nil {
		return nil, err
	}
	claims := map[string]string{}
	for _, m := range value.members {
		if m.key == "" || m.value.text == "" || m.value.kind != isString && m.value.kind != isNumber && m.value.kind != isBoolean {
			return nil, errors.New("must be an object with a value for each claim")
		}
		claims[m.key] = m.value.text
	}
	if len(claims) == 0 {
		return nil, errors.New("names no claim")
	}
	return claims, nil
}

// globs reads patterns of path.Match.
func globs(value *node) ([]string, error) {
	list, err := patterns(value)
	if err != nil {
		return nil, err
	}
	for _, glob := range list {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, fmt.Errorf("has %q, which is no glob", glob)
		}
	}
	return list, nil
}
