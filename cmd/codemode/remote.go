package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"os"
	"strings"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// tokenVariable is where a token for --remote is taken from when no flag has it: a command line can be read by anyone on
// the machine.
const tokenVariable = "CODEMODE_TOKEN"

// remoteOptions are the flags of commands whose programs may run on a daemon, or on several.
type remoteOptions struct {
	urls          stringList
	token         string
	ca, cert, key string
}

func (o *remoteOptions) declare(flags *flag.FlagSet) {
	flags.Var(&o.urls, "remote", "run programs on the daemon at this `URL` (ws://host:port, wss://…, or ws+unix:///socket), not here; of several, repeated or with "+
		"commas between, each run takes the least busy one, and of dns+ws://name:port each address of the name is one")
	flags.StringVar(&o.token, "token", "", "with --remote, the bearer `token` (default $"+tokenVariable+")")
	flags.StringVar(&o.ca, "remote-ca", "", "with --remote wss://…, trust the authorities in this `file`, not the system's")
	flags.StringVar(&o.cert, "remote-cert", "", "with --remote wss://…, the `file` of the client certificate to show")
	flags.StringVar(&o.key, "remote-key", "", "the `file` of that certificate's key")
}

// executor dials the daemons; nil when the programs run here. defaults may be nil.
func (o *remoteOptions) executor(ctx context.Context, defaults *remote.DialOptions) (protocol.Executor, error) {
	urls, err := o.daemons()
	if err != nil || len(urls) == 0 {
		return nil, err
	}
	var options remote.DialOptions
	if defaults != nil {
		options = *defaults
	}
	if options.Token = o.token; options.Token == "" {
		options.Token = strings.TrimSpace(os.Getenv(tokenVariable))
	}
	if options.TLS, err = o.tls(); err != nil {
		return nil, err
	}
	if len(urls) == 1 && !remote.IsBalanced(urls[0]) {
		client, err := remote.Dial(ctx, urls[0], &options)
		if err != nil {
			return nil, err // not a nil *Client
		}
		return client, nil
	}
	balancer, err := remote.DialBalancer(ctx, urls, &remote.BalancerOptions{Dial: options})
	if err != nil {
		return nil, err
	}
	return balancer, nil
}

// daemons lists the URLs.
func (o *remoteOptions) daemons() ([]string, error) {
	var urls []string
	for _, list := range o.urls {
		for text := range strings.SplitSeq(list, ",") {
			if text = strings.TrimSpace(text); text == "" {
				return nil, usagef("--remote %q names no daemon", list)
			}
			url, err := daemonURL(text)
			if err != nil {
				return nil, err
			}
			urls = append(urls, url)
		}
	}
	if len(urls) > 0 {
		return urls, nil
	}
	for flag, value := range map[string]string{"--token": o.token, "--remote-ca": o.ca, "--remote-cert": o.cert, "--remote-key": o.key} {
		if value != "" {
			return nil, usagef("%s goes with --remote", flag)
		}
	}
	return nil, nil
}

// tls reads the files for wss; nil leaves Go's defaults.
func (o *remoteOptions) tls() (*tls.Config, error) {
	if o.ca == "" && o.cert == "" && o.key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.ca != "" {
		pool, err := certificatePool(o.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if (o.cert == "") != (o.key == "") {
		return nil, usagef("--remote-cert and --remote-key go together")
	}
	if o.cert != "" {
		certificate, err := keyPair("--remote-cert", o.cert, "--remote-key", o.key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// certificatePool reads the authorities in a file.
func certificatePool(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{err}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usagef("there is no certificate in %s", path)
	}
	return pool, nil
}
