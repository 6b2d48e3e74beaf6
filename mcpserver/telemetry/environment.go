package telemetry

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// target is where one signal goes.
type target struct {
	url     string
	headers map[string]string
	timeout time.Duration
	gzip    bool
	tls     *tls.Config // nil is the machine's
}

// The defaults of the specification (OpenTelemetry Protocol Exporter).
const (
	defaultEndpoint = "http://localhost:4318"
	defaultTimeout  = 10 * time.Second
)

// reader reads the variables of one signal: TRACES or METRICS.
type reader struct {
	signal string
	getenv func(string) string
}

// otlp is the value of OTEL_EXPORTER_OTLP_<signal>_<name>, or of the variable without the signal.
func (r reader) otlp(name string) string {
	return cmp.Or(r.getenv("OTEL_EXPORTER_OTLP_"+r.signal+"_"+name), r.getenv("OTEL_EXPORTER_OTLP_"+name))
}

// wanted reports whether the signal is to be sent: by OTEL_<signal>_EXPORTER, or because there is an endpoint.
func (r reader) wanted() (bool, error) {
	name := "OTEL_" + r.signal + "_EXPORTER"
	exporters := r.getenv(name)
	if exporters == "" {
		return r.otlp("ENDPOINT") != "", nil
	}
	wanted := false
	var unknown []string
	for one := range strings.SplitSeq(exporters, ",") {
		switch strings.TrimSpace(one) {
		case "otlp":
			wanted = true
		case "none", "":
		default:
			unknown = append(unknown, one)
		}
	}
	if len(unknown) > 0 {
		return wanted, fmt.Errorf("%s has %s, which is not built in: otlp and none are", name, strings.Join(unknown, ", "))
	}
	return wanted, nil
}

// target reads where to. The error names the variable.
func (r reader) target() (t target, err error) {
	if protocol := r.otlp("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return t, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q, which is not built in: http/protobuf is", protocol)
	}
	if t.url, err = r.url(); err != nil {
		return t, err
	}
	if t.headers, err = parseHeaders(r.otlp("HEADERS")); err != nil {
		return t, err
	}
	t.timeout = defaultTimeout
	if text := r.otlp("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return t, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q, and must be a number of milliseconds", text)
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	switch compression := r.otlp("COMPRESSION"); compression {
	case "gzip":
		t.gzip = true
	case "", "none":
	default:
		return t, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q, and must be gzip or none", compression)
	}
	t.tls, err = r.tls()
	return t, err
}

// url is the signal's own endpoint as it is, or the signal's path below the common one.
func (r reader) url() (string, error) {
	name := "OTEL_EXPORTER_OTLP_" + r.signal + "_ENDPOINT"
	text, path := r.getenv(name), ""
	if text == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		text, path = cmp.Or(r.getenv(name), defaultEndpoint), "/v1/"+strings.ToLower(r.signal)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s must be an http or https URL", name) // which may have a password in it
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	return u.String(), nil
}

// parseHeaders reads "name=value,…", as W3C Baggage writes it.
func parseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs with commas between them") // the values are secrets
		}
		headers[name] = value
	}
	return headers, nil
}

// tls reads the files of certificates.
func (r reader) tls() (*tls.Config, error) {
	authority, certificate, key := r.otlp("CERTIFICATE"), r.otlp("CLIENT_CERTIFICATE"), r.otlp("CLIENT_KEY")
	if authority == "" && certificate == "" && key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: there is no certificate in %s", authority)
		}
	}
	if certificate != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// senderFor is the sender of a signal; nil when the environment wants none, or says something of it that cannot be: then
// the log says that, for telemetry must not keep a server from starting.
func senderFor(signal string, getenv func(string) string, log *slog.Logger) *sender {
	r := reader{signal, getenv}
	wanted, err := r.wanted()
	if err != nil {
		log.Warn("a part of the telemetry is left out", "reason", err)
	}
	if !wanted {
		return nil
	}
	t, err := r.target()
	if err != nil {
		log.Warn("this telemetry is not sent", "signal", strings.ToLower(signal), "reason", err)
		return nil
	}
	return newSender(strings.ToLower(signal), t, log)
}

// isDisabled reports what OTEL_SDK_DISABLED says.
func isDisabled(getenv func(string) string) bool {
	return strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true")
}

// closeTimeout bounds the delivery of what is left at the end: a host kills a server that takes longer.
const closeTimeout = 2 * time.Second

// bounded is a context of a bound of its own: what ends a server must not take the last spans away.
func bounded(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
