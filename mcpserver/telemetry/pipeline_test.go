package telemetry

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OTLP receiver over HTTP.
type collector struct {
	url string

	mu       sync.Mutex
	requests []string // path, encoding and x-key
	spans    []string
	metrics  []string
	service  string
	// refuse is how many requests are answered with 503 first.
	refuse int
	// silent never answers.
	silent bool
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.take(t, w, r) }))
	t.Cleanup(web.Close)
	c.url = web.URL
	return c
}

func (c *collector) take(t *testing.T, w http.ResponseWriter, r *http.Request) {
	if c.silent {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection is not seen
		<-r.Context().Done()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Content-Encoding")+" "+r.Header.Get("x-key"))
	if c.refuse > 0 {
		c.refuse--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(body); err != nil {
			t.Error(err)
			return
		}
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	var traces tracepb.TracesData
	var metrics metricspb.MetricsData
	if strings.HasSuffix(r.URL.Path, "/traces") {
		err = proto.Unmarshal(raw, &traces)
	} else {
		err = proto.Unmarshal(raw, &metrics)
	}
	if err != nil {
		t.Error(err)
	}
	for _, rs := range traces.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			if a.Key == "service.name" {
				c.service = a.Value.GetStringValue()
			}
		}
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				c.spans = append(c.spans, s.Name)
			}
		}
	}
	for _, rm := range metrics.ResourceMetrics {
		for _, sm := range rm.ScopeMetrics {
			for _, m := range sm.Metrics {
				p := m.GetHistogram().DataPoints[0]
				if m.Unit != "s" || p.Count == 0 || p.GetSum() <= 0 || p.TimeUnixNano == 0 || len(p.BucketCounts) != len(p.ExplicitBounds)+1 || len(p.Attributes) == 0 {
					t.Errorf("%v", m)
				}
				c.metrics = append(c.metrics, m.Name)
			}
		}
	}
}

func start(t *testing.T, environment map[string]string, log io.Writer) *Pipeline {
	t.Helper()
	p, err := FromEnvironment(t.Context(), &PipelineOptions{
		Version: "1.2.3", Getenv: func(name string) string { return environment[name] }, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// oneRun runs a program with one call, and closes.
func oneRun(t *testing.T, p *Pipeline) {
	t.Helper()
	s := serve(t, p)
	if _, err := s.Call(t.Context(), `async () => { await up.meta({}) }`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	p.Close()
	p.Close()
	leavesNothing(t)
}

func TestCloseDeliversWhatIsLeft(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	oneRun(t, start(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.url + "/base/", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=s%20ecret, other=1", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "gzip",
	}, t.Output()))
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.requests)
	want := []string{"/base/v1/metrics application/x-protobuf  s ecret", "/base/v1/traces application/x-protobuf gzip s ecret"}
	if diff := cmp.Diff(want, slices.Compact(c.requests)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"tools/call meta", "tools/call code"}, c.spans); diff != "" {
		t.Error(diff)
	}
	slices.Sort(c.metrics)
	if diff := cmp.Diff([]string{"mcp.client.operation.duration", "mcp.server.operation.duration"}, slices.Compact(c.metrics)); diff != "" {
		t.Error(diff)
	}
	if c.service != "codemode" {
		t.Errorf("service.name %q", c.service)
	}
}

func TestACollectorThatIsBusyIsAskedAgain(t *testing.T) {
	c := newCollector(t)
	c.refuse = 1
	p := start(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.url + "/v1/traces"}, t.Output())
	p.senders[0].backoff = 1
	oneRun(t, p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.requests) != 2 || len(c.spans) != 2 {
		t.Errorf("%q, spans %q", c.requests, c.spans)
	}
}

// A collector that hangs, or is not there, keeps nobody from ending.
func TestCloseDoesNotWaitForACollector(t *testing.T) {
	c := newCollector(t)
	c.silent = true
	oneRun(t, start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.url}, t.Output()))

	var log strings.Builder
	oneRun(t, start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "none"}, &log))
	if n := strings.Count(log.String(), "telemetry cannot be delivered"); n != 1 {
		t.Errorf("said %d times:\n%s", n, log.String())
	}
}

func TestWhatTheEnvironmentAsksFor(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		name        string
		environment map[string]string
		want        string // the URLs
		said        string
	}{
		{"nothing", nil, "", ""},
		{"an endpoint", map[string]string{endpoint: "http://c:4318"}, "http://c:4318/v1/traces http://c:4318/v1/metrics", ""},
		{"an endpoint of one signal", map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "https://c/x"}, "https://c/x", ""},
		{"disabled", map[string]string{endpoint: "http://c:4318", "OTEL_SDK_DISABLED": "TRUE"}, "", ""},
		{"an exporter without an endpoint", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, "http://localhost:4318/v1/traces", ""},
		{"no traces", map[string]string{endpoint: "http://c", "OTEL_TRACES_EXPORTER": "none"}, "http://c/v1/metrics", ""},
		{"another exporter", map[string]string{endpoint: "http://c", "OTEL_METRICS_EXPORTER": "prometheus", "OTEL_TRACES_EXPORTER": "console,otlp"}, "http://c/v1/traces", "prometheus, which is not built in"},
		{"gRPC", map[string]string{endpoint: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "", "http/protobuf is"},
		{"gRPC for one", map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc"}, "http://c/v1/metrics", "http/protobuf is"},
		{"no URL", map[string]string{endpoint: "user:secret@c:4318"}, "", "must be an http or https URL"},
		{"a timeout that is none", map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, "", "milliseconds"},
		{"headers that are none", map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "secret"}, "", "name=value"},
		{"a compression that is none", map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"}, "", "gzip or none"},
		{"a certificate that is not there", map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere"}, "", "OTEL_EXPORTER_OTLP_CERTIFICATE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			p := start(t, c.environment, &log)
			var urls []string
			if p != nil {
				for _, s := range p.senders {
					urls = append(urls, s.target.url)
				}
				p.Close()
			}
			if got := strings.Join(urls, " "); got != c.want || !strings.Contains(log.String(), c.said) || c.said == "" && log.Len() > 0 {
				t.Errorf("%q and said %q", got, log.String())
			}
			if strings.Contains(log.String(), "secret") {
				t.Errorf("a secret is in the log: %s", log.String())
			}
		})
	}
	leavesNothing(t)
}
