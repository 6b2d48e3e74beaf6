package promtext

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestText(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, time.Hour} {
		h.Observe(d)
	}
	var b strings.Builder
	Family(&b, "x_total", Counter, "A \\ and\na line.")
	Sample(&b, "x_total", 1, Label{"name", "a\"b\\c\nd\xffé"})
	Sample(&b, "x_total", 1e9)
	FamilyOfHistograms(&b, "y_seconds", "How long.")
	h.Write(&b, "y_seconds", Label{"k", "v"})
	text := b.String()
	for _, want := range []string{
		"# HELP x_total A \\\\ and\\na line.\n# TYPE x_total counter\n",
		`x_total{name="a\"b\\c\nd` + "\uFFFDé" + `"} 1` + "\n",
		"x_total 1e+09\n",
		"# TYPE y_seconds histogram\n",
		`y_seconds_bucket{k="v",le="0.001"} 2` + "\n" + `y_seconds_bucket{k="v",le="0.0025"} 3` + "\n",
		`y_seconds_bucket{k="v",le="60"} 3` + "\n" + `y_seconds_bucket{k="v",le="+Inf"} 4` + "\n",
		`y_seconds_sum{k="v"} 3600.003` + "\n" + `y_seconds_count{k="v"} 4` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestServe(t *testing.T) {
	w := httptest.NewRecorder()
	Serve(w, func(w io.Writer) { Sample(w, "x", 1) })
	if w.Body.String() != "x 1\n" || w.Header().Get("Content-Type") != ContentType {
		t.Errorf("%q %v", w.Body, w.Header())
	}
}
