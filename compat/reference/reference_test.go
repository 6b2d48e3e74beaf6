package reference

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, release string) *Server {
	t.Helper()
	s, err := Start(t.Context(), release, nil)
	if errors.Is(err, ErrNotInstalled) {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestEveryReleaseAnswers(t *testing.T) {
	const request = `{"code": "codemode.t(1, 2)", "providers": [{"name": "codemode", "tools": {"t": {"kind": "echoAll"}}}]}`
	for _, release := range Releases() {
		// Arguments were one object until 0.2.x.
		want := `"result":[1,2]`
		if release == "0.2.2" {
			want = `"result":[1]`
		}
		outcome, err := start(t, release).Run(t.Context(), []byte(request))
		if err != nil || !strings.Contains(string(outcome), want) {
			t.Errorf("release %s answers %s, %v, want %s", release, outcome, err, want)
		}
	}
}

func TestPureFunctions(t *testing.T) {
	s := start(t, Releases()[0])
	texts, err := s.Normalize(t.Context(), []string{"1 + 2", "async () => 42"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Normalized{{Text: "async () => {\nreturn (1 + 2)\n}"}, {Text: "async () => 42"}}, texts); diff != "" {
		t.Error(diff)
	}
	names, err := s.Sanitize(t.Context(), []string{"list-issues", "2fa"})
	if diff := cmp.Diff([]string{"list_issues", "_2fa"}, names); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestCloseEndsTheProcess(t *testing.T) {
	s := start(t, Releases()[0])
	pid, dir := s.pid, s.dir
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after Close: %v", pid, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s after Close: %v", dir, err)
	}
	if _, err := s.Run(t.Context(), []byte(`{"code": "1"}`)); err == nil {
		t.Error("a closed server answers")
	}
}

func TestMissingPackagesAreNamed(t *testing.T) {
	if _, err := Start(t.Context(), Releases()[0], &Options{Dir: t.TempDir()}); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Start = %v", err)
	}
}
