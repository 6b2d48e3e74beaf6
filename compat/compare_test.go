package compat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/compat/casefile"
)

func TestEqualJSON(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{`{"a": 1, "b":[ ]}`, `{"a":1,"b":[]}`, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false}, // a host that prints the object sees the order
		{`{"b":1,"2":0,"10":0}`, `{"2":0,"10":0,"b":1}`, true},
		{`1e2`, `100.0`, true},
		{`-0`, `0`, true},
		{`0.1`, `0.2`, false},
		{`"\u00e9\ud83d\ude00\/"`, `"é😀/"`, true},
		{`"\ud800"`, `"\ufffd"`, false},
		{`"\ud800\ud800"`, `"\ud800\ud800"`, true},
		{`"\ud800x"`, `"\ud801x"`, false},
		{`"a\u0000b"`, `"a\u0001b"`, false},
		{`["a,b"]`, `["a","b"]`, false},
		{`[[],{}]`, `[ [ ] , { } ]`, true},
		{`null`, `"null"`, false},
	} {
		if got := equalJSON([]byte(c.a), []byte(c.b)); got != c.equal {
			t.Errorf("equalJSON(%s, %s) = %v: %s against %s", c.a, c.b, got, canonicalJSON([]byte(c.a)), canonicalJSON([]byte(c.b)))
		}
	}
}

func TestCompare(t *testing.T) {
	expect := func(text string) *Expected {
		e := &Expected{}
		if err := json.Unmarshal([]byte(text), e); err != nil {
			t.Fatal(err)
		}
		e.Result = member([]byte(text), "result")
		return e
	}
	value := func(text string, logs ...string) *casefile.Outcome {
		return &casefile.Outcome{Result: json.RawMessage(text), Logs: append([]string{}, logs...)}
	}
	failed := func(text string, logs ...string) *casefile.Outcome {
		return &casefile.Outcome{Error: text, Logs: append([]string{}, logs...)}
	}
	undefined := &casefile.Outcome{Logs: []string{}}
	big := `"` + strings.Repeat("é", 6000) + `"`
	for _, c := range []struct {
		want   string
		got    *casefile.Outcome
		fields string
	}{
		{`{"result":42,"logs":[],"keys":["result","logs"]}`, value(`42`), ""},
		{`{"result":42,"logs":[],"keys":["result","logs"]}`, value(`43`), "result"},
		{`{"result":null,"logs":[],"keys":["result","logs"]}`, value(`null`), ""},
		{`{"result":null,"logs":[],"keys":["result","logs"]}`, undefined, "result"},
		{`{"jsonUndefined":true,"logs":[],"keys":["result","logs"]}`, undefined, ""},
		{`{"jsonUndefined":true,"logs":[],"keys":["result","logs"]}`, value(`null`), "result"},
		{`{"jsonUndefined":true,"error":"boom","logs":["a"],"keys":["result","error","logs"]}`, failed("boom", "a"), ""},
		{`{"jsonUndefined":true,"error":"boom","logs":["a"],"keys":["result","error","logs"]}`, failed("bang"), "error logs"},
		{`{"jsonUndefined":true,"error":"boom","logs":[],"keys":["result","error","logs"]}`, undefined, "error"},
		{`{"jsonUndefined":true,"error":"refused","keys":["result","error"]}`, &casefile.Outcome{Error: "refused"}, ""},
		{`{"jsonUndefined":true,"error":"refused","keys":["result","error"]}`, failed("refused"), "keys"},
		{`{"jsonUndefined":true,"error":5,"errorTyped":5,"logs":[],"keys":["result","error","logs"]}`, failed("5"), "error"},
		{`{"jsonUndefined":true,"errorTyped":{"$":"function"},"logs":[],"keys":["result","error","logs"]}`, failed("x"), "error"},
		{`{"jsonUndefined":true,"error":"mm","errorLen":5,"logs":[],"keys":["result","error","logs"]}`, failed("mmmmm"), ""},
		{`{"jsonUndefined":true,"error":"mm","errorLen":5,"logs":[],"keys":["result","error","logs"]}`, failed("mmmm"), "error"},
		{`{"jsonError":"TypeError: no","logs":[],"keys":["result","logs"]}`, failed("no"), ""},
		{`{"jsonError":"TypeError: no","logs":[],"keys":["result","logs"]}`, failed("other"), "result"},
		{`{"jsonError":"TypeError: no","logs":[],"keys":["result","logs"]}`, value(`1`), "result"},
		{`{"resultLen":6002,"resultHead":"\"ééé","logs":[],"keys":["result","logs"]}`, value(big), ""},
		{`{"resultLen":6001,"resultHead":"\"ééé","logs":[],"keys":["result","logs"]}`, value(big), "result"},
		{`{"result":1,"logs":["0","1"],"logsCount":3,"logsLen":[1,1],"keys":["result","logs"]}`, value(`1`, "0", "1", "2"), ""},
		{`{"result":1,"logs":["0","1"],"logsCount":3,"logsLen":[1,1],"keys":["result","logs"]}`, value(`1`, "0", "11", "2"), "logs"},
		{`{"result":1,"logs":["0","1"],"logsCount":3,"logsLen":[1,1],"keys":["result","logs"]}`, value(`1`, "0"), "logs"},
		{`{"threw":{"name":"Error","message":"m"}}`, value(`1`), "threw"},
		{`{"hang":"client timeout"}`, value(`1`), "hang"},
	} {
		var fields []string
		for _, d := range Compare(expect(c.want), c.got) {
			fields = append(fields, d.Field)
		}
		if got := strings.Join(fields, " "); got != c.fields {
			t.Errorf("Compare(%s, %s) differs in %q, want %q", c.want, brief(c.got), got, c.fields)
		}
	}
}

func TestLoadExpected(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("expected-0.5.6.json", `{"a":{"result":null},"b":{"result":1}}`)
	write("expected-0.3.8.diff.json", `{"b":{"result":2}}`)

	newest, err := LoadExpected(file, "")
	if err != nil || newest.Release != Newest || string(newest.ByName["a"].Result) != "null" {
		t.Errorf("newest = %+v, %v", newest, err)
	}
	old, err := LoadExpected(file, "0.3.8")
	if err != nil || string(old.ByName["b"].Result) != "2" || string(old.NewestByName["b"].Result) != "1" || old.ByName["a"] == nil {
		t.Errorf("0.3.8 = %+v, %v", old, err)
	}
	if _, err := LoadExpected(file, "0.1.0"); err == nil || !strings.Contains(err.Error(), "no outcomes of release 0.1.0") {
		t.Errorf("0.1.0 = %v", err)
	}
	bad := write("bad.json", `{"a":{"rezult":1}}`)
	if _, err := LoadExpected(bad, ""); err == nil || !strings.Contains(err.Error(), `outcome of "a"`) {
		t.Errorf("bad = %v", err)
	}
}

func TestReport(t *testing.T) {
	rules := []Rule{{Name: "r1", Reason: ReasonEnvelope}, {Name: "r2", Reason: ReasonThrown}}
	diff := []Diff{{"result", "1", "2\n3"}}
	report := newReport("0.5.6", []Verdict{
		{Name: "equal"},
		{Name: "covered", Diffs: diff, Rule: "r2"},
		{Name: "failed", Diffs: diff},
		{Name: "waiting", Diffs: diff, Waiting: true},
		{Name: "skipped", Skipped: "not there yet"},
	}, rules)
	report.Malformed = []string{`c.json: case "x": code: missing`}
	var out strings.Builder
	report.Print(&out, false)
	want := `MALFORMED c.json: case "x": code: missing
FAIL failed
    result: expected 1
            ours     2\n3
FAIL waiting
    result: expected 1
            ours     2\n3
SKIP skipped: not there yet

release 0.5.6: 1 equal, 1 skipped, 1 under a rule
     1  thrown value   r2
1 of the failed cases wait for an interface of the platform
1 cases could not be read
2 passed, 2 failed
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if report.OK() {
		t.Error("a report with failures is OK")
	}
	var decoded Report
	var text strings.Builder
	if err := report.PrintJSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text.String()), &decoded); err != nil || decoded.Failed != 2 || decoded.Rules[0].Cases[0] != "covered" {
		t.Errorf("JSON = %s, %v", text.String(), err)
	}
}
