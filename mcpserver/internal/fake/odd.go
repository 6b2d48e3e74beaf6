package fake

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// trace writes down what came in: a method a line, with the request's id, or with the id of the request that is cancelled.
func (s *server) trace(m *message) {
	if s.Trace == "" {
		return
	}
	var params struct{ RequestID json.RawMessage }
	_ = json.Unmarshal(m.Params, &params)
	file, err := os.OpenFile(s.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintf(file, "%s %s%s\n", m.Method, m.ID, params.RequestID)
}

// modern answers for a server that has no handshake; ok is false for what is the same in all revisions.
func (s *server) modern(m *message) (ok bool) {
	switch m.Method {
	case "initialize":
		s.fail(m, -32601, "Method not found")
	case "server/discover":
		if s.ExitOnDiscover {
			os.Exit(6)
		}
		s.reply(m, `{"supportedVersions":["2026-07-28"],"capabilities":`+s.capabilities()+`}`)
	case "subscriptions/listen":
	default:
		return false
	}
	return true
}

// wrongID answers requests that nobody made before it answers this one, with its id as text.
func (s *server) wrongID(m *message) {
	for _, id := range []string{`987654321`, `"nobody"`, `null`, `{}`, `-1`, `1.5`, `1e3`, `"` + string(m.ID) + `x"`} {
		s.write(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"not yours"}]}}`)
	}
	s.write(`{"jsonrpc":"2.0","id":"` + string(m.ID) + `","result":{"content":[{"type":"text","text":"yours"}]}}`)
	s.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[{"type":"text","text":"a second answer"}]}}`)
}

// flood sends each kind of notification as often, and then the answer.
func (s *server) flood(m *message, token json.RawMessage, times int) {
	if token == nil {
		token = json.RawMessage(`"nobody's"`)
	}
	kinds := []string{
		`"notifications/tools/list_changed"`, `"notifications/resources/list_changed"`,
		`"notifications/message","params":{"level":"info","data":"` + strings.Repeat("z", 200) + `"}`,
		`"notifications/progress","params":{"progressToken":` + string(token) + `,"progress":1}`,
		`"notifications/cancelled","params":{"requestId":12345}`, `"notifications/nobody/knows","params":[1]`,
	}
	for range times {
		for _, kind := range kinds {
			s.write(`{"jsonrpc":"2.0","method":` + kind + `}`)
		}
	}
	s.text(m, "flooded")
}
