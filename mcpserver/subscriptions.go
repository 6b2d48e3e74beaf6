package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// resourceUpdated is the notification that a resource changed.
const resourceUpdated = "notifications/resources/updated"

const (
	// maxFollowed bounds the resources whose changes clients hear of, of one server.
	maxFollowed = 1000
	// maxSubscriptions bounds those that one client hears of, in all its streams: as many as one server tells of.
	maxSubscriptions = maxFollowed
	// maxAllSubscriptions bounds those of all clients of one view, or of none, so that no number of sessions makes them many.
	maxAllSubscriptions = 20 * maxSubscriptions
	// maxSubscribedURI bounds the length of the URI of one, in bytes: RFC 9110 asks that 8000 be possible.
	maxSubscribedURI = 8000
)

// listener is one who wants to hear of changes: a client's session, or one of its streams of subscriptions/listen.
type listener struct {
	session server.ClientSession
	of      *Server
	stream  any // the id of the request that opened the stream; nil is the session itself
}

// has reports whether the listener's client has the resources of a namespace.
func (l *listener) has(namespace string) bool {
	return l.of.generation().in(namespace, readResource) != nil
}

// subscriptions is who wants to hear of changes of which resource, by its URI as clients know it.
type subscriptions struct {
	server *Server

	following sync.Mutex // held by one of those who tell the servers, so that the last word is the newest

	mu   sync.Mutex
	to   map[string][]listener
	kept map[server.ClientSession]int // how many of to are a client's
	all  map[*Server]int              // how many are those of all clients of a Server
}

func newSubscriptions(s *Server) *subscriptions {
	return &subscriptions{server: s, to: map[string][]listener{}, kept: map[server.ClientSession]int{}, all: map[*Server]int{}}
}

// hook has the requests of a server's clients noted. mcp-go answers them.
func (b *subscriptions) hook(hooks *server.Hooks, of *Server) {
	session := func(ctx context.Context) listener {
		return listener{session: server.ClientSessionFromContext(ctx), of: of}
	}
	hooks.AddOnRequestInitialization(func(ctx context.Context, _ any, message any) error {
		return b.refusal(ctx, session(ctx), subscribed(message)...)
	})
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, request *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		b.add(ctx, session(ctx), request.Params.URI)
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
		b.add(ctx, stream, uris...)
		context.AfterFunc(ctx, func() { b.drop(stream, uris...) })
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, gone server.ClientSession) { b.left(gone) })
}

// subscribed are the resources that a request wants to hear of; none of another request. mcp-go cannot refuse one otherwise
// with words of ours.
func subscribed(message any) []string {
	raw, ok := message.(json.RawMessage)
	if !ok || !bytes.Contains(raw, []byte("subscri")) { // requests with programs are large
		return nil
	}
	var request struct {
		Method mcp.MCPMethod
		Params struct {
			URI           string
			Notifications mcp.SubscriptionFilter
		}
	}
	if json.Unmarshal(raw, &request) != nil {
		return nil // mcp-go says what is wrong
	}
	switch request.Method {
	case mcp.MethodResourcesSubscribe:
		return []string{request.Params.URI}
	case mcp.MethodSubscriptionsListen:
		return request.Params.Notifications.ResourceSubscriptions
	}
	return nil
}

// refusal is why a client is not told of resources; nil when it is. What the policy denies to read is as good as not there;
// where it asks nobody is asked, for a change says nothing of what is in a resource.
func (b *subscriptions) refusal(ctx context.Context, who listener, uris ...string) error {
	more := 0
	for _, uri := range uris {
		if len(uri) > maxSubscribedURI {
			return fmt.Errorf("the URI %.40s… is longer than %d bytes", uri, maxSubscribedURI)
		}
		if who.of.resources.source(uri) == nil {
			return fmt.Errorf("%s: %w", uri, errNoResource)
		}
		if namespace, original, ok := originalURI(uri); ok {
			if _, err := who.of.guard.foresee(ctx, who.of.generation(), namespace, readResource, map[string]any{"uri": original}); err != nil {
				return err
			}
		}
		b.mu.Lock()
		if !slices.Contains(b.to[uri], who) {
			more++
		}
		kept, all := b.kept[who.session], b.all[who.of]
		b.mu.Unlock()
		if kept+more > maxSubscriptions {
			return fmt.Errorf("a client hears of at most %d resources; unsubscribe from others first", maxSubscriptions)
		}
		if all+more > maxAllSubscriptions {
			return fmt.Errorf("all clients together hear of at most %d resources", maxAllSubscriptions)
		}
	}
	return nil
}

// add has a client hear of resources. Whoever is refused has been told so, unless its requests came at the same time or
// are written in an odd way.
func (b *subscriptions) add(ctx context.Context, who listener, uris ...string) {
	if err := b.refusal(ctx, who, uris...); err != nil {
		b.server.log.Warn("a client is not told of resources", "error", err)
		return
	}
	b.change(func() {
		for _, uri := range uris {
			if !slices.Contains(b.to[uri], who) && b.kept[who.session] < maxSubscriptions && b.all[who.of] < maxAllSubscriptions {
				b.to[uri] = append(b.to[uri], who)
				b.kept[who.session]++
				b.all[who.of]++
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
	b.to[uri] = slices.DeleteFunc(b.to[uri], func(one listener) bool {
		if !gone(one) {
			return false
		}
		if b.kept[one.session]--; b.kept[one.session] == 0 {
			delete(b.kept, one.session)
		}
		if b.all[one.of]--; b.all[one.of] == 0 {
			delete(b.all, one.of)
		}
		return true
	})
	if len(b.to[uri]) == 0 {
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
	b.mu.Lock()
	to := make(map[string][]listener, len(b.to))
	for uri, listeners := range b.to {
		to[uri] = slices.Clone(listeners)
	}
	b.mu.Unlock()
	type place struct {
		of        *Server
		namespace string
	}
	has := map[place]bool{}                    // whether its clients have the resources
	wanted := map[string]map[string][]string{} // by namespace, and by client
	for uri, listeners := range to {
		namespace, original, ok := originalURI(uri)
		if !ok {
			continue
		}
		for i, one := range listeners {
			at := place{one.of, namespace}
			if _, known := has[at]; !known {
				has[at] = one.has(namespace)
			}
			if has[at] && !slices.ContainsFunc(listeners[:i], func(other listener) bool { return other.session == one.session }) {
				if wanted[namespace] == nil {
					wanted[namespace] = map[string][]string{}
				}
				client := fmt.Sprintf("%s %p", one.session.SessionID(), one.session) // a stream without a session has no ID
				wanted[namespace][client] = append(wanted[namespace][client], original)
			}
		}
	}
	for _, u := range g.upstreams {
		status := u.Status()
		uris, all := inTurn(wanted[status.Namespace], maxFollowed)
		if !all {
			b.server.log.Warn("clients want to hear of changes of too many resources; of the rest they will not", "server", status.Name, "limit", maxFollowed)
		}
		u.Follow(uris)
	}
}

// inTurn takes URIs of each client in turn, up to most different ones, so that one client with many leaves the others theirs.
// They are sorted; all says that these are all.
func inTurn(lists map[string][]string, most int) (uris []string, all bool) {
	clients := slices.Sorted(maps.Keys(lists))
	for _, client := range clients {
		slices.Sort(lists[client])
	}
	taken := map[string]bool{}
	for i, more := 0, true; more; i++ {
		more = false
		for _, client := range clients {
			if i >= len(lists[client]) {
				continue
			}
			more = true
			uri := lists[client][i]
			if !taken[uri] && len(taken) == most {
				return slices.Sorted(maps.Keys(taken)), false
			}
			taken[uri] = true
		}
	}
	return slices.Sorted(maps.Keys(taken)), true
}

// updated tells those who want to hear of a resource of a server that it changed. It never blocks: it is called from loops
// that read from upstreams.
func (b *subscriptions) updated(from string, params json.RawMessage) {
	var said struct{ URI string }
	u := b.server.generation().named(from, readResource)
	if json.Unmarshal(params, &said) != nil || u == nil {
		return
	}
	namespace := u.Status().Namespace
	uri := mappedURI(namespace, said.URI)
	b.mu.Lock()
	to := slices.Clone(b.to[uri])
	b.mu.Unlock()
	for _, one := range to {
		if !one.has(namespace) {
			continue
		}
		if _, denied := one.of.guard.foresee(context.Background(), one.of.generation(), namespace, readResource, map[string]any{"uri": said.URI}); denied != nil {
			continue // the policy may be another since
		}
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
