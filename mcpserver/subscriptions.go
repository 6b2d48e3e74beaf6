package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// resourceUpdated is the notification that a resource changed.
const resourceUpdated = "notifications/resources/updated"

// maxFollowed bounds the resources whose changes clients hear of, of one server.
const maxFollowed = 1000

// listener is one who wants to hear of changes: a client's session, or one of its streams of subscriptions/listen.
type listener struct {
	session server.ClientSession
	stream  any // the id of the request that opened the stream; nil is the session itself
}

// subscriptions is who wants to hear of changes of which resource, by its URI as clients know it.
type subscriptions struct {
	server *Server

	following sync.Mutex // held by one of those who tell the servers, so that the last word is the newest

	mu sync.Mutex
	to map[string][]listener
}

func newSubscriptions(s *Server) *subscriptions {
	return &subscriptions{server: s, to: map[string][]listener{}}
}

// hook has the requests of clients noted. mcp-go answers them.
func (b *subscriptions) hook(hooks *server.Hooks) {
	session := func(ctx context.Context) listener { return listener{session: server.ClientSessionFromContext(ctx)} }
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, request *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		b.add(session(ctx), request.Params.URI)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, request *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		b.drop(session(ctx), request.Params.URI)
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, request *mcp.SubscriptionsListenRequest) {
		uris := request.Params.Notifications.ResourceSubscriptions
		if len(uris) == 0 {
			return
		}
		stream := session(ctx)
		stream.stream = id
		b.add(stream, uris...)
		context.AfterFunc(ctx, func() { b.drop(stream, uris...) })
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, gone server.ClientSession) { b.left(gone) })
}

func (b *subscriptions) add(who listener, uris ...string) {
	b.change(func() {
		for _, uri := range uris {
			if !slices.Contains(b.to[uri], who) {
				b.to[uri] = append(b.to[uri], who)
			}
		}
	})
}

func (b *subscriptions) drop(who listener, uris ...string) {
	b.change(func() {
		for _, uri := range uris {
			b.remove(uri, func(one listener) bool { return one == who })
		}
	})
}

// left forgets a client that is gone.
func (b *subscriptions) left(gone server.ClientSession) {
	b.change(func() {
		for uri := range b.to {
			b.remove(uri, func(one listener) bool { return one.session == gone })
		}
	})
}

func (b *subscriptions) remove(uri string, gone func(listener) bool) {
	if b.to[uri] = slices.DeleteFunc(b.to[uri], gone); len(b.to[uri]) == 0 {
		delete(b.to, uri)
	}
}

// change makes a change and has the servers told of it.
func (b *subscriptions) change(make func()) {
	b.mu.Lock()
	make()
	b.mu.Unlock()
	b.follow(b.server.generation())
}

// follow has each server of a generation tell about the resources that somebody wants to hear of.
func (b *subscriptions) follow(g *generation) {
	b.following.Lock()
	defer b.following.Unlock()
	wanted := map[string][]string{}
	b.mu.Lock()
	for uri := range b.to {
		if namespace, original, ok := originalURI(uri); ok {
			wanted[namespace] = append(wanted[namespace], original)
		}
	}
	b.mu.Unlock()
	for _, u := range g.upstreams {
		status := u.Status()
		uris := wanted[status.Namespace]
		slices.Sort(uris)
		if len(uris) > maxFollowed {
			b.server.log.Warn("clients want to hear of changes of too many resources; of the rest they will not", "server", status.Name, "resources", len(uris), "limit", maxFollowed)
			uris = uris[:maxFollowed]
		}
		u.Follow(uris)
	}
}

// updated tells those who want to hear of a resource of a server that it changed. It never blocks: it is called from loops
// that read from upstreams.
func (b *subscriptions) updated(from string, params json.RawMessage) {
	var said struct{ URI string }
	u := b.server.generation().named(from)
	if json.Unmarshal(params, &said) != nil || u == nil {
		return
	}
	uri := mappedURI(u.Status().Namespace, said.URI)
	b.mu.Lock()
	to := slices.Clone(b.to[uri])
	b.mu.Unlock()
	for _, one := range to {
		n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
			Method: resourceUpdated, Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
		}}
		if one.stream != nil {
			n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: one.stream}
		}
		if http, ok := one.session.(server.SessionWithStreamableHTTPConfig); ok {
			http.UpgradeToSSEWhenReceiveNotification()
		}
		select {
		case one.session.NotificationChannel() <- n:
		default:
			b.server.log.Warn("a client that does not read is not told that a resource changed", "uri", uri)
		}
	}
}
