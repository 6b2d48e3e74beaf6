package fake

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Offers is what a server has beside its tools.
type Offers struct {
	// Resources and Templates are the entries of their lists as raw JSON. Every URI that begins with "note://" can be read:
	// note://blob as bytes, note://slow never, note://gone not, any other as its own text.
	Resources, Templates []json.RawMessage
	// Prompts are entries of prompts/list. Each has one message: its name and arguments, and a link to note://a.
	Prompts []json.RawMessage
}

// Resource makes an entry of resources/list.
func Resource(uri string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"uri":%q,"name":%q,"mimeType":"text/plain","x-odd":1}`, uri, "the "+uri))
}

// capabilities are what initialize answers with.
func (s *server) capabilities() string {
	list := []string{`"tools":{"listChanged":true}`}
	if len(s.Offers.Resources)+len(s.Offers.Templates) > 0 {
		list = append(list, `"resources":{"subscribe":true,"listChanged":true}`)
	}
	if len(s.Offers.Prompts) > 0 {
		list = append(list, `"prompts":{"listChanged":true}`, `"completions":{}`)
	}
	if s.Tasks {
		list = append(list, `"tasks":{"requests":{"tools":{"call":{}}},"cancel":{}}`)
	}
	return "{" + strings.Join(list, ",") + "}"
}

// offer answers what is asked about resources and prompts; ok is false for any other method.
func (s *server) offer(m *message) (ok bool) {
	var params struct {
		URI, Name string
		Arguments json.RawMessage
		Ref       json.RawMessage
		Argument  struct{ Value string }
	}
	_ = json.Unmarshal(m.Params, &params)
	s.mu.Lock()
	offers := s.Offers
	s.mu.Unlock()
	switch m.Method {
	case "resources/list":
		s.reply(m, `{"resources":`+listOf(offers.Resources)+`}`)
	case "resources/templates/list":
		s.reply(m, `{"resourceTemplates":`+listOf(offers.Templates)+`}`)
	case "prompts/list":
		s.reply(m, `{"prompts":`+listOf(offers.Prompts)+`}`)
	case "resources/read":
		s.read(m, params.URI)
	case "resources/subscribe", "resources/unsubscribe":
		s.mu.Lock()
		s.log = append(s.log, m.Method+" "+params.URI)
		s.mu.Unlock()
		s.reply(m, `{}`)
	case "prompts/get":
		if params.Name == "missing" {
			s.fail(m, -32602, "there is no such prompt")
			return true
		}
		text, _ := json.Marshal(params.Name + string(params.Arguments))
		s.reply(m, `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":`+string(text)+`}},`+
			`{"role":"assistant","content":{"type":"resource_link","uri":"note://a","name":"a"}}]}`)
	case "completion/complete":
		text, _ := json.Marshal(string(params.Ref) + params.Argument.Value)
		s.reply(m, `{"completion":{"values":[`+string(text)+`],"total":1}}`)
	default:
		return false
	}
	return true
}

func listOf(entries []json.RawMessage) string {
	text, _ := json.Marshal(append([]json.RawMessage{}, entries...))
	return string(text)
}

func (s *server) read(m *message, uri string) {
	switch {
	case uri == "note://slow":
	case uri == "note://gone", !strings.HasPrefix(uri, "note://"):
		s.fail(m, -32002, "Resource not found")
	case uri == "note://broken":
		s.fail(m, -32603, "the disk is gone")
	case uri == "note://locked":
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32050,"message":"locked <by> somebody","data":{"until": 9007199254740993}}}`, m.ID))
	case uri == "note://blob":
		s.reply(m, fmt.Sprintf(`{"contents":[{"uri":%q,"mimeType":"image/png","blob":%q}]}`, uri, strings.Repeat("QUJD", 64)))
	default:
		s.reply(m, fmt.Sprintf(`{"contents":[{"x":9007199254740993,"uri":%q,"text":%q}]}`, uri, "the text of "+uri))
	}
}
