package dialect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/codemode-go/codemode/protocol"
)

// The marker object by which a connector's far side reports a control decision in place of a value, since a throw does
// not survive every RPC: {"__codemode_control__": "pause"} or {"__codemode_control__": "error", "message": "…"}.
const (
	controlKey    = "__codemode_control__"
	pauseSentinel = "__CODEMODE_PAUSE__"
)

// errPause is thrown into a program whose connector asked for a pause.
var errPause = errors.New(pauseSentinel)

// Connector is a namespace whose tool names are known only behind CallTool. It declares none.
type Connector struct {
	Name string
	// CallTool answers every call on the namespace. A connector's tools take one argument: the first, nil when the
	// program gave none. The value is rendered like a Func's; at its top, a control marker is a decision.
	CallTool func(ctx context.Context, tool string, argument json.RawMessage) (any, error)
}

func (c Connector) handler() protocol.Handler {
	return func(ctx context.Context, tool, argsJSON string) (json.RawMessage, error) {
		if c.CallTool == nil {
			return nil, &protocol.ToolNotFoundError{Tool: tool}
		}
		args, err := parseArguments(argsJSON)
		if err != nil {
			return nil, err
		}
		var first json.RawMessage
		if len(args) > 0 {
			first = args[0]
		}
		value, err := c.CallTool(ctx, tool, first)
		if err != nil {
			return nil, err
		}
		encoded, err := protocol.EncodeValue(value)
		if err != nil {
			return nil, err
		}
		return encoded, readControlMarker(encoded)
	}
}

// readControlMarker turns a marker back into the throw it stands for. A marker of another kind is data.
func readControlMarker(encoded json.RawMessage) error {
	if !bytes.HasPrefix(bytes.TrimLeft(encoded, " \t\r\n"), []byte("{")) {
		return nil
	}
	var marker map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &marker); err != nil {
		return nil
	}
	var kind string
	if err := json.Unmarshal(marker[controlKey], &kind); err != nil {
		return nil
	}
	switch kind {
	case "pause":
		return errPause
	case "error":
		return errors.New(markerMessage(marker["message"]))
	}
	return nil
}

// markerMessage is JavaScript's String(marker.message) for what JSON can hold, with an object as its JSON.
func markerMessage(raw json.RawMessage) string {
	var text string
	switch {
	case raw == nil:
		return "undefined"
	case json.Unmarshal(raw, &text) == nil && raw[0] == '"':
		return text
	}
	return string(raw)
}
