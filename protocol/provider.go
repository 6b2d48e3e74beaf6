package protocol

import (
	"slices"
	"strings"
)

// ProviderDescriptor is one namespace in the program's scope. Only names and source cross.
type ProviderDescriptor struct {
	// Name is the identifier the program uses.
	Name string `json:"name"`
	// Tools are the declared tool names. A call of another name still reaches the dispatch: the host decides.
	Tools []string `json:"tools"`
	// Prelude is JavaScript that runs once the namespaces exist and may assign real functions to them, which then
	// take precedence over dispatch.
	Prelude string `json:"prelude,omitempty"`
	// PositionalArgs states that the provider's functions take a list of arguments and not one object. The list
	// crosses as it is either way; declarations and validation differ.
	PositionalArgs bool `json:"positionalArgs,omitempty"`
	// ProxySource is a JavaScript expression that replaces the generated namespace object. It may call
	// __dispatch(provider, tool, argsJSON), which resolves to the envelope's JSON text.
	ProxySource string `json:"proxySource,omitempty"`
}

// ValidateProviders checks the names of a request and returns an INVALID_REQUEST for the first that cannot be a
// namespace. The texts are written for the model that reads them.
func ValidateProviders(providers []ProviderDescriptor) error {
	seen := make(map[string]bool, len(providers))
	for i, p := range providers {
		switch {
		case IsReservedProviderName(p.Name):
			return Errorf(CodeInvalidRequest, "providers[%d].name: %q is already bound in every program's scope; choose another name for this namespace", i, p.Name)
		case !IsProviderName(p.Name):
			return Errorf(CodeInvalidRequest, "providers[%d].name: %q is not an identifier; use letters, digits, _ and $ (ASCII), not starting with a digit", i, p.Name)
		case IsReservedWord(p.Name):
			return Errorf(CodeInvalidRequest, "providers[%d].name: %q is a reserved word of JavaScript and cannot name a namespace", i, p.Name)
		case seen[p.Name]:
			return Errorf(CodeInvalidRequest, "providers[%d].name: %q is used by two providers; each namespace needs its own name", i, p.Name)
		}
		seen[p.Name] = true
		if j := slices.IndexFunc(p.Tools, func(tool string) bool { return tool == "" || strings.ContainsRune(tool, 0) }); j >= 0 {
			return Errorf(CodeInvalidRequest, "providers[%d].tools[%d]: a tool name must not be empty or hold a NUL", i, j)
		}
	}
	return nil
}
