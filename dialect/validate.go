package dialect

import (
	"fmt"

	"github.com/codemode-go/codemode/protocol"
)

// isReservedByDialect reports whether the dialect itself refuses a namespace's name: names of the harness that its own
// executor generates, which hosts therefore never got to use (@cloudflare/codemode 0.5.6, src/executor.ts). Of its
// sixteen, the four that are not here are the protocol's as well.
func isReservedByDialect(name string) bool {
	switch name {
	case "__dispatchers", "__connectors", "__logs", "__CODEMODE_BINARY_TAG", "__bytesToBase64", "__base64ToBytes",
		"__encodeCodemodeValue", "__decodeCodemodeValue", "__stringifyForCodemode", "__parseForCodemode",
		"WorkerEntrypoint", "CodeExecutor":
		return true
	}
	return false
}

// IsReservedName reports whether ValidateExecution refuses name as reserved, for a provider and a connector alike.
func IsReservedName(name string) bool {
	return isReservedByDialect(name) || protocol.IsReservedProviderName(name)
}

// ValidateExecution checks the names of a request and returns the text that refuses it. It walks the providers, then
// the connectors, each name through the rules in the order reserved, pattern, reserved word, duplicate; then the tool
// names of each provider for two that share an identifier. A refused request touches no executor.
func ValidateExecution(providers []Provider, connectors []Connector) (text string, refused bool) {
	taken := make(map[string]bool, len(providers)+len(connectors))
	for _, p := range providers {
		if text, refused := validateName("Provider", p.Name); refused {
			return text, true
		}
		if taken[p.Name] {
			return fmt.Sprintf(`Duplicate provider name "%s"`, p.Name), true
		}
		taken[p.Name] = true
	}
	for _, c := range connectors {
		if text, refused := validateName("Connector", c.Name); refused {
			return text, true
		}
		if taken[c.Name] {
			return fmt.Sprintf(`Duplicate name "%s" (connector clashes with provider)`, c.Name), true
		}
		taken[c.Name] = true
	}
	return detectCollisions(providers)
}

func validateName(kind, name string) (text string, refused bool) {
	switch {
	case IsReservedName(name):
		return fmt.Sprintf(`%s name "%s" is reserved`, kind, name), true
	case !protocol.IsProviderName(name):
		return fmt.Sprintf(`%s name "%s" is not a valid JavaScript identifier`, kind, name), true
	case protocol.IsReservedWord(name):
		return fmt.Sprintf(`%s name "%s" is a JavaScript reserved word`, kind, name), true
	}
	return "", false
}

func detectCollisions(providers []Provider) (text string, collides bool) {
	for _, p := range providers {
		if p.ExactNames {
			continue
		}
		names := make([]string, len(p.Functions))
		for i, f := range p.Functions {
			names[i] = f.Name
		}
		if text, collides := DetectSanitizeCollision(p.Name, names); collides {
			return text, true
		}
	}
	return "", false
}
