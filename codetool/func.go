package codetool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/codemode-go/codemode/protocol"
	"github.com/invopop/jsonschema"
)

// Func makes a tool of a Go function. The schemas are reflected from In and Out (tags json and jsonschema, see
// github.com/invopop/jsonschema), inline except for types that contain themselves. Arguments decode into In by
// encoding/json; what fn returns goes through protocol.EncodeValue, so that a []byte alone is a Uint8Array.
func Func[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) RawTool {
	return RawTool{
		Name:         name,
		Description:  description,
		InputSchema:  reflectSchema(reflect.TypeFor[In]()),
		OutputSchema: reflectSchema(reflect.TypeFor[Out]()),
		Call: func(ctx context.Context, args json.RawMessage) (any, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, fmt.Errorf("invalid arguments for %s: %w", name, err)
			}
			out, err := fn(ctx, in)
			if err != nil {
				return nil, err
			}
			return out, nil
		},
	}
}

// reflectSchema returns nil for a type that says nothing about the JSON it becomes.
func reflectSchema(t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() || isEncodedSpecially(t) {
		return nil
	}
	inline := !containsItself(t, nil)
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: inline, DoNotReference: inline}
	schema := reflector.ReflectFromType(t)
	schema.Version = "" // 2020-12 is what a schema without $schema is read as
	text, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	return text
}

// isEncodedSpecially reports whether protocol.EncodeValue has a form of its own for a type.
func isEncodedSpecially(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[[]byte](), reflect.TypeFor[protocol.ArrayBuffer](), reflect.TypeFor[protocol.View](),
		reflect.TypeFor[protocol.Object](), reflect.TypeFor[protocol.Undefined](), reflect.TypeFor[protocol.Handle]():
		return true
	}
	return false
}

// containsItself reports whether a value of type t can hold another of a type that is being visited.
func containsItself(t reflect.Type, visiting []reflect.Type) bool {
	for _, outer := range visiting {
		if outer == t {
			return true
		}
	}
	visiting = append(visiting, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return containsItself(t.Elem(), visiting)
	case reflect.Struct:
		for i := range t.NumField() {
			if containsItself(t.Field(i).Type, visiting) {
				return true
			}
		}
	}
	return false
}
