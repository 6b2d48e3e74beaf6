package executor

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestWhichAddressesTheGuardPermits(t *testing.T) {
	g := guard{}
	for _, address := range strings.Fields(`
		0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255
		192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
		:: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::10.1.2.3 64:ff9b:1::1 100::1
		2001::1 2001:db8::1 2002:7f00:1::1 2002:a9fe:a9fe::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 5f00::1 3fff::1`) {
		if g.permits(netip.MustParseAddr(address)) {
			t.Errorf("%s is permitted", address)
		}
	}
	for _, address := range strings.Fields(`
		1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
		192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17
		2606:4700::1111 2a00:1450::1 ::ffff:1.1.1.1 64:ff9b::8.8.8.8`) {
		if !g.permits(netip.MustParseAddr(address)) {
			t.Errorf("%s is refused", address)
		}
	}
}

func TestTheGuardPermitsWhatAnOperatorAllows(t *testing.T) {
	g := guard{prefixes("10.1.0.0/16", "::1/128")}
	for address, want := range map[string]bool{
		"10.1.2.3:80": true, "10.2.0.1:80": false, "[::1]:443": true, "[::ffff:10.1.2.3]:80": true, "[64:ff9b::10.1.2.3]:80": true, "127.0.0.1:80": false,
		"1.1.1.1:443": true, "1.1.1.1:25": false, "10.1.2.3:6667": false, "[fe80::1%lo]:80": false,
	} {
		if err := g.control(context.Background(), "tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestErrorsTellNothingOfTheNetwork: a program that asks for names learns neither their addresses nor who knows them.
func TestErrorsTellNothingOfTheNetwork(t *testing.T) {
	transport := own{newTransport(nil)}
	defer transport.next.CloseIdleConnections()
	for address, want := range map[string]string{
		"http://localhost/": "localhost is not an address of the public internet, and none that this executor lets programs reach",
		"http://127.0.0.1/": "dial tcp 127.0.0.1:80: 127.0.0.1 is not an address of the public internet, and none that this executor lets programs reach",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := transport.RoundTrip(request); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v", address, response, err)
		}
	}
	lookup := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "db.internal", Server: "10.1.2.3:53", IsNotFound: true}}
	if got := discreet(lookup, "db.internal").Error(); got != "lookup db.internal: no such host" {
		t.Error(got)
	}
}
