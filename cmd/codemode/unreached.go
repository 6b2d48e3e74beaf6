package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"syscall"

	"github.com/codemode-go/codemode/protocol"
)

// explain is an error's text with its cause, and what to do about a daemon that is not reached.
func explain(err error) string {
	text := protocol.Explain(err)
	if hint := daemonHint(err); hint != "" {
		text += "; " + hint
	}
	return text
}

// daemonHint says what to do about the usual causes, in the words of the command line; nothing about others.
func daemonHint(err error) string {
	switch {
	case !errors.Is(err, protocol.CodeConnectionRejected):
		return ""
	case errors.Is(err, protocol.CodeUnauthorized):
		return "--token, or the variable " + tokenVariable + ", is to be one of the daemon's --token-file"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist):
		return "is codemode daemon running there?"
	case errors.As(err, new(tls.RecordHeaderError)):
		return "no TLS is spoken there: ws:// in place of wss://"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "--remote-ca names the file of its authority"
	}
	return ""
}
