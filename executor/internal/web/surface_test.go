//go:build cgo && (linux || darwin)

package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web"
	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// shared finds a file of the recorded reference: CODEMODE_SHARED, or shared/ beside the repository.
func shared(t *testing.T, path ...string) []byte {
	t.Helper()
	root := os.Getenv("CODEMODE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("no recorded reference: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type member struct {
	Flags, Kind string
	Length      int
	Get, Set    bool
}

type constructor struct {
	Length       int
	Statics      map[string]member
	Prototype    map[string]member
	Tag          string
	ProtoExtends string
	NewNoArgs    string
	CallNoArgs   string
}

// extensions are members that the reference has not, with the reason we have them.
var extensions = map[string]string{}

// absent are members of the reference that we leave out, with the reason.
var absent = map[string]string{
	"Symbol(cloudflare:internal-class)": "a mark of workerd's own",
	"Symbol(kResourceTypeInspect)":      "a mark of workerd's own",
	"Symbol(immutable)":                 "for workerd's console",
	"Symbol(state)":                     "for workerd's console",
	"Symbol(supportsBYOB)":              "for workerd's console",
	"Symbol(length)":                    "for workerd's console",
	"Symbol(expectsBytes)":              "for workerd's console",
	"Symbol(kIsBuffer)":                 "a mark of workerd's own",
}

// TestSurface compares every interface we define with the recorded one: members, flags, lengths, what
// constructing and calling without arguments says.
func TestSurface(t *testing.T) {
	var recorded struct{ Constructors map[string]constructor }
	if err := json.Unmarshal(shared(t, "reference", "surface.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	describe, err := os.ReadFile(filepath.Join("testdata", "surface.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range web.Scripts() {
		for _, name := range script.Globals {
			want, ok := recorded.Constructors[name]
			if !ok || name[0] < 'A' || name[0] > 'Z' {
				continue
			}
			t.Run(name, func(t *testing.T) {
				var got constructor
				h := webtest.New(t, nil)
				h.Await("crypto.DigestStream.name") // an accessor until it is first read
				text := h.Await("(" + string(describe) + ")(" + name + ")")
				if err := json.Unmarshal([]byte(text), &got); err != nil {
					t.Fatalf("describing: %v in %s", err, text)
				}
				compareMembers(t, "static ", got.Statics, want.Statics)
				compareMembers(t, "", got.Prototype, want.Prototype)
				got.Statics, got.Prototype, want.Statics, want.Prototype = nil, nil, nil, nil
				if g, w := encode(got), encode(want); g != w {
					t.Errorf("\n got  %s\n want %s", g, w)
				}
			})
		}
	}
}

func encode(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func compareMembers(t *testing.T, prefix string, got, want map[string]member) {
	t.Helper()
	var names []string
	for name := range want {
		names = append(names, name)
	}
	for name := range got {
		if _, both := want[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		g, has := got[name]
		w, wanted := want[name]
		switch {
		case !wanted && extensions[name] == "":
			t.Errorf("%s%s: not in the reference", prefix, name)
		case wanted && !has && absent[name] == "":
			t.Errorf("%s%s: missing", prefix, name)
		case wanted && has && g != w && !strings.HasPrefix(w.Flags, "error"):
			t.Errorf("%s%s: got %+v, want %+v", prefix, name, g, w)
		}
	}
}
