package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// dnsPrefix stands before the scheme of a URL whose name is that of several daemons.
const dnsPrefix = "dns+"

// IsBalanced reports whether a URL needs DialBalancer even when it stands alone.
func IsBalanced(url string) bool { return strings.HasPrefix(url, dnsPrefix) }

// add makes a URL's daemon a member, or each address of its name.
func (b *Balancer) add(ctx context.Context, text string) error {
	plain, several := strings.CutPrefix(text, dnsPrefix)
	if !several {
		b.addMember(text, "")
		return nil
	}
	host, port, err := hostAndPort(plain)
	if err != nil {
		return err
	}
	b.refresh(ctx, plain, host, port)
	b.work.Go(func() {
		look := time.NewTicker(b.options.ResolveEvery)
		defer look.Stop()
		for {
			select {
			case <-look.C:
				b.refresh(b.ctx, plain, host, port)
			case <-b.ctx.Done():
				return
			}
		}
	})
	return nil
}

// hostAndPort takes the name out of a URL.
func hostAndPort(text string) (host, port string, err error) {
	ports := map[string]string{"ws": "80", "http": "80", "wss": "443", "https": "443"}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || ports[u.Scheme] == "" {
		return "", "", protocol.Errorf(protocol.CodeConnectionRejected, "Failed to open WebSocket to %s: dns+ stands before ws, wss, http or https, and a name", dnsPrefix+shownURL(text))
	}
	port = u.Port()
	if port == "" {
		port = ports[u.Scheme]
	}
	return u.Hostname(), port, nil
}

// refresh looks a name up and makes its addresses the members. When that fails, they stay what they were: a name
// service that is down must not take daemons away that are not.
func (b *Balancer) refresh(ctx context.Context, text, host, port string) {
	ctx, cancel := context.WithTimeout(ctx, b.options.ResolveEvery)
	defer cancel()
	found, err := b.options.Resolver.LookupHost(ctx, host)
	if err == nil && len(found) == 0 {
		err = errors.New("it has no address")
	}
	if err != nil {
		b.mu.Lock()
		b.lookup = fmt.Errorf("looking %s up: %w", host, err)
		b.mu.Unlock()
		b.log.Warn("the daemons stay what they were", slog.String("name", host), slog.Any("reason", err))
		return
	}
	addresses := make([]string, len(found))
	for i, ip := range found {
		addresses[i] = net.JoinHostPort(ip, port)
	}
	b.mu.Lock()
	b.lookup = nil
	var known []string
	for _, m := range slices.Clone(b.members) { // drop takes from it
		switch {
		case m.client.url != text || m.client.address == "" || m.gone:
		case slices.Contains(addresses, m.client.address):
			known = append(known, m.client.address)
		default:
			b.drop(m)
		}
	}
	b.mu.Unlock()
	for _, address := range addresses {
		if !slices.Contains(known, address) {
			known = append(known, address)
			b.addMember(text, address)
		}
	}
}
