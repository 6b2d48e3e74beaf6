package codetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/codemode-go/codemode/codetool/internal/schema"
)

// validator checks the arguments of one tool. Its schema is compiled with the first call, since most tools of a large
// catalogue are never called.
type validator struct {
	tool    *boundTool
	compile func() *schema.Schema // nil when there is nothing to check against
}

func newValidator(tool *boundTool) *validator {
	v := &validator{tool: tool}
	v.compile = sync.OnceValue(v.compileOnce)
	return v
}

// check returns what is wrong with the arguments, worded for the model that wrote them.
func (v *validator) check(arguments json.RawMessage) error {
	compiled := v.compile()
	if compiled == nil {
		return nil
	}
	value, err := schema.Decode(arguments)
	if err != nil {
		return fmt.Errorf("the arguments of %s.%s are no JSON: %w", v.tool.namespace, v.tool.identifier, err)
	}
	problems, complete := compiled.Check(value)
	if !complete {
		v.warn("the input schema takes too long to apply; the call goes unchecked", "reason", "too many steps")
	}
	if len(problems) > 0 {
		return errors.New(explainInvalid(v.tool, problems, value))
	}
	return nil
}

// compileOnce compiles the tool's schema. What is wrong with it must not take the tool away: its server knows best what
// it takes.
func (v *validator) compileOnce() *schema.Schema {
	document := bytes.TrimSpace(v.tool.InputSchema)
	if len(document) == 0 || string(document) == "null" { // null is how some servers say that there is none
		return nil
	}
	compiled, err := schema.Compile(document)
	if err != nil {
		v.warn("the input schema is none; calls go unchecked", "error", err)
		return nil
	}
	for _, warning := range compiled.Warnings() {
		v.warn("a part of the input schema goes unchecked", "reason", warning)
	}
	return compiled
}

func (v *validator) warn(message, key string, value any) {
	v.tool.options.Logger.Warn(message, "provider", v.tool.provider, "tool", v.tool.Name, key, value)
}
