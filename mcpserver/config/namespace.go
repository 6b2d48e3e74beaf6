package config

import "github.com/codemode-go/codemode/codetool"

// Namespace makes the identifier under which programs see a server, by codetool's rule; one without a name is "server".
func Namespace(name string) string {
	if name == "" {
		return "server"
	}
	return codetool.NamespaceName(name)
}
