package stdio

import (
	"encoding/json"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// streams are the requests subscriptions/listen of a client that are open. A client of the revisions without sessions
// hears what it asked for in one of them and nothing else, each notification with the id of its stream.
type streams struct {
	mu   sync.Mutex
	open map[string]*stream // by the id's key
}

type stream struct {
	id     json.RawMessage
	filter mcp.SubscriptionFilter
	// acknowledged is set once the client was told what it will hear; nothing comes before that.
	acknowledged bool
}

// add opens the stream of a request.
func (s *streams) add(key string, id, raw json.RawMessage) {
	var request struct {
		Params struct {
			Notifications mcp.SubscriptionFilter `json:"notifications"`
		} `json:"params"`
	}
	_ = json.Unmarshal(raw, &request) // what asks for nothing hears nothing
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*stream{}
	}
	s.open[key] = &stream{id: id, filter: request.Params.Notifications}
}

func (s *streams) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, key)
}

// addressed is what to write of a notification for all clients.
func (s *streams) addressed(n mcp.JSONRPCNotification) (out []mcp.JSONRPCNotification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n.Method {
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		for _, one := range s.open {
			one.acknowledged = true
		}
		return []mcp.JSONRPCNotification{n}
	case mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationPromptsListChanged, mcp.MethodNotificationResourcesListChanged:
	default:
		return []mcp.JSONRPCNotification{n}
	}
	for _, one := range s.open {
		if !one.acknowledged || !one.hears(n.Method) {
			continue
		}
		copied := n
		copied.Params.Meta = maps.Clone(n.Params.Meta)
		if copied.Params.Meta == nil {
			copied.Params.Meta = map[string]any{}
		}
		copied.Params.Meta[mcp.MetaKeySubscriptionID] = one.id
		out = append(out, copied)
	}
	return out
}

func (s *stream) hears(method string) bool {
	switch method {
	case mcp.MethodNotificationToolsListChanged:
		return s.filter.ToolsListChanged
	case mcp.MethodNotificationPromptsListChanged:
		return s.filter.PromptsListChanged
	}
	return s.filter.ResourcesListChanged
}
