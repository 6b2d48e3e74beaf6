package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// socketPath is the path of a socket's address. --listen and --remote take the spellings of both: unix:/path as listeners have it, and
// ws+unix:///path as clients do.
func socketPath(address string) (path string, ok bool) {
	for _, scheme := range []string{"ws+unix:", "unix:"} {
		if path, ok = strings.CutPrefix(address, scheme); ok {
			return strings.TrimPrefix(path, "//"), true
		}
	}
	return "", false
}

// schemes are those of a daemon's address, sockets aside. Those of HTTP say the same of it.
var schemes = []string{"ws", "wss", "http", "https"}

// daemonURL is what --remote names, in the spelling that package remote has.
func daemonURL(text string) (string, error) {
	plain, several := strings.CutPrefix(text, "dns+")
	path, isSocket := socketPath(plain)
	scheme, rest, found := strings.Cut(plain, "://")
	switch {
	case isSocket && several:
		return "", usagef("dns+ stands before ws://, wss://, http:// or https://, and a name: a socket has none")
	case isSocket && path == "":
		return "", usagef("--remote %s names no socket: ws+unix:///path", text)
	case isSocket:
		return "ws+unix://" + path, nil
	case !found && !strings.Contains(plain, "@"):
		return "", usagef("--remote takes ws://, wss:// and ws+unix:///path addresses, not %q; is ws://%s meant?", text, plain)
	case !found:
		return "", usagef("--remote takes ws://, wss:// and ws+unix:///path addresses; this one has no scheme") // and a password
	case !slices.Contains(schemes, scheme):
		return "", usagef("--remote takes ws://, wss:// and ws+unix:///path addresses, not %q", scheme) // the rest may hold a password
	}
	if u, err := url.Parse(plain); err == nil && u.Hostname() == "" || rest == "" {
		return "", usagef("--remote %s:// names no host", scheme)
	}
	return text, nil
}

// originList is a flag of web origins that may be repeated. What browsers never send would let nobody in, without a word.
type originList []string

func (l *originList) String() string { return strings.Join(*l, ", ") }

func (l *originList) Set(text string) error {
	if u, err := url.Parse(text); text != "null" && (err != nil || u.Host == "" || u.Scheme+"://"+u.Host != text) {
		return errors.New("must be an origin such as https://app.example, without a path")
	}
	*l = append(*l, text)
	return nil
}

// checkHostPort says what is wrong with an address to listen on, before anything is started for it.
func checkHostPort(ctx context.Context, flag, address, wanted string) error {
	_, isSocket := socketPath(address)
	_, port, err := net.SplitHostPort(address)
	if err != nil || port == "" || isSocket {
		return noAddress(flag, address, wanted)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return usagef("%s %s: %s is no port: one is a number up to 65535, and 0 takes a free one", flag, address, port)
	}
	return nil
}

// noAddress is the mistake of what is no host:port, and the address that it may stand for.
func noAddress(flag, address, wanted string) error {
	meant := ""
	if _, rest, found := strings.Cut(address, "://"); found {
		meant = strings.TrimSuffix(rest, "/")
	} else if address != "" && strings.Trim(address, "0123456789") == "" {
		meant = "127.0.0.1:" + address
	}
	if meant != "" {
		meant = "; is " + meant + " meant?"
	}
	return usagef("%s takes %s, not %q%s", flag, wanted, address, meant)
}

// unlistened makes what kept a listener from its address a mistake of the command line.
func unlistened(flag, address string, err error) error {
	var failed *net.OpError
	switch {
	case !errors.As(err, &failed) || failed.Op != "listen":
		return err
	case errors.Is(err, syscall.EADDRINUSE) && failed.Net == "tcp":
		return usagef("%s %s: %w (port 0 takes a free one)", flag, address, err)
	}
	return usagef("%s %s: %w", flag, address, err)
}

// keyPair reads a certificate and its key; the error names their flags, for that of package tls names no file.
func keyPair(certFlag, cert, keyFlag, key string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return pair, usagef("%s %s with %s %s: the certificate cannot be used: %w", certFlag, cert, keyFlag, key, err)
	}
	return pair, nil
}
