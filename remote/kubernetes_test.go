package remote

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheAutoscalerReadsMetricsThatThereAre: the names in examples/kubernetes, a module of its own, are those of /metrics.
func TestTheAutoscalerReadsMetricsThatThereAre(t *testing.T) {
	_, handler := daemon(t, &fake{execute: echo}, nil)
	var served bytes.Buffer
	handler.writeMetrics(&served)
	dir := filepath.Join("..", "examples", "kubernetes")
	seen := 0
	for _, name := range []string{"autoscaler.yaml", "prometheus-adapter.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range regexp.MustCompile(`\bcodemode_\w+`).FindAllString(string(text), -1) {
			seen++
			if !strings.Contains(served.String(), "\n"+metric+" ") && !strings.Contains(served.String(), "# TYPE "+metric+" ") {
				t.Errorf("%s: %s is none of /metrics", name, metric)
			}
		}
	}
	if seen == 0 {
		t.Error("the manifests name no metric")
	}
}
