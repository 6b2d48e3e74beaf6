package main

import (
	"fmt"
	"net"
	"net/url"
)

// listening says where a listener can be reached, once it accepts.
func listening(term terminal, address string) {
	fmt.Fprintln(term.err, "listening", openable(address))
}

// openable is a listener's URL from this machine: all of its addresses is none that can be opened.
func openable(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
		return u.String()
	}
	return address // a socket's path is not escaped
}
