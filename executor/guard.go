package executor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// guard decides which addresses the requests of programs may reach: those of the public internet, and what an operator
// has allowed beside. It looks at the address that is about to be connected to, so that neither a name that resolves to
// something else the next time nor a redirect gets past it.
type guard struct{ allowed []netip.Prefix }

// refused are the ranges of IPv4 that are not the public internet (IANA's special-purpose registry, RFC 6890 and its
// updates), and 168.63.129.16, at which Azure serves its machines' metadata.
var refused = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32")

// Of IPv6 only 2000::/3 is the internet, without these: Teredo and 6to4, which carry an IPv4 address, and documentation,
// benchmarking and the like.
var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	refused6      = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

func within(list []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(address) })
}

// permits reports whether an address may be reached. An IPv4 address in IPv6's clothes is judged as what it is.
func (g guard) permits(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if within(g.allowed, address) {
		return true
	}
	if address.Is4() {
		return !within(refused, address)
	}
	if nat64.Contains(address) {
		bytes := address.As16()
		return g.permits(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return globalUnicast.Contains(address) && !within(refused6, address)
}

// badPorts are the ports that fetch refuses to speak HTTP to (Fetch standard, port blocking), beside those that a
// program could not abuse.
var badPorts = []uint16{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119,
	123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
	993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// control is the dialer's last word before it connects.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if slices.Contains(badPorts, at.Port()) {
		return fmt.Errorf("the port %d is not one for HTTP", at.Port())
	}
	if !g.permits(at.Addr()) {
		return &closedError{at.Addr().String()}
	}
	return nil
}

// closedError is an address that programs may not reach.
type closedError struct{ address string }

func (e *closedError) Error() string {
	return e.address + " is not an address of the public internet, and none that this executor lets programs reach"
}

// discreet is the error of a request to a host without what a program could learn from it of the network around us: the
// addresses behind names, and which server knows them.
func discreet(err error, host string) error {
	var closed *closedError
	var lookup *net.DNSError
	_, literal := netip.ParseAddr(host)
	switch {
	case errors.As(err, &closed) && literal != nil:
		return &closedError{host}
	case errors.As(err, &lookup):
		return &net.DNSError{Err: lookup.Err, Name: lookup.Name, IsTimeout: lookup.IsTimeout, IsTemporary: lookup.IsTemporary, IsNotFound: lookup.IsNotFound}
	}
	return err
}

// newTransport performs the requests of OutboundInherit. It knows no proxy: what a proxy connects to, nobody here sees.
func newTransport(allowed []netip.Prefix) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, ControlContext: guard{allowed}.control}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decodeContent knows more codings
		MaxIdleConns:           100,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}
