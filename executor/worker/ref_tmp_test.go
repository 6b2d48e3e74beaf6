//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

type refCase struct {
	Name, Code string
	Providers  json.RawMessage
	Options    map[string]any
}
type refProv struct {
	Name    string
	Tools   map[string]json.RawMessage
	Prelude string
}

func goValue(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = goValue(v[i])
		}
		return out
	case map[string]any:
		if k, ok := v["$"].(string); ok {
			switch k {
			case "undefined", "function", "symbol":
				return protocol.Undefined{}
			case "nan", "inf", "-inf":
				return nil
			case "-0":
				return 0
			case "date":
				return "1970-01-01T00:00:00.000Z"
			case "bytes", "arraybuffer":
				var b []byte
				json.Unmarshal([]byte(`"`+v["v"].(string)+`"`), &b)
				if k == "arraybuffer" {
					return protocol.ArrayBuffer(b)
				}
				return b
			case "repeat":
				return strings.Repeat(v["v"].(string), int(v["n"].(float64)))
			case "raw":
				return v["v"]
			case "class":
				return map[string]any{"x": 1}
			case "tojson":
				return goValue(v["v"])
			case "sparse":
				return []any{1, nil, nil, 4}
			}
			return map[string]any{}
		}
		out := map[string]any{}
		for key := range v {
			out[key] = goValue(v[key])
		}
		return out
	}
	return v
}

func TestRef(t *testing.T) {
	var cases []refCase
	var want map[string]map[string]any
	read := func(f string, to any) {
		b, err := os.ReadFile("/work/shared/reference/" + f)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, to); err != nil {
			t.Fatal(err)
		}
	}
	read("cases.json", &cases)
	read("expected-0.5.6.json", &want)
	c := startChild(t, wire.Options{Memory: 128 << 20})
	fams := os.Getenv("FAM")
	same, n := 0, 0
	for _, k := range cases {
		fam, _, _ := strings.Cut(k.Name, ".")
		if !strings.Contains(","+fams+",", ","+fam+",") {
			continue
		}
		if w := os.Getenv("ONLY"); w != "" && !strings.HasPrefix(k.Name, w) {
			continue
		}
		if k.Name == "timeout.afterawait.busy" { continue }
		n++
		var provs []refProv
		if json.Unmarshal(k.Providers, &provs) != nil {
			continue
		}
		h := header()
		tools := map[string]map[string]json.RawMessage{}
		for _, p := range provs {
			h.Providers = append(h.Providers, wire.Provider{Name: p.Name, Prelude: p.Prelude})
			tools[p.Name] = p.Tools
		}
		modules := map[string]string{}
		if m, ok := k.Options["modules"].(map[string]any); ok {
			for name, s := range m {
				modules[name], _ = s.(string)
			}
		}
		counters := map[string]int{}
		o := c.run(program{code: k.Code, header: h, modules: modules, answer: func(made call) string {
			raw, ok := tools[made.provider][made.tool]
			if !ok {
				return protocol.ErrorEnvelope(`Tool "` + made.tool + `" not found`).Text()
			}
			var spec map[string]any
			json.Unmarshal(raw, &spec)
			args, err := protocol.SplitArguments(made.args)
			if err != nil {
				return protocol.ErrorEnvelope(err.Error()).Text()
			}
			reply := func(v any) string {
				r, err := protocol.EncodeValue(v)
				if err != nil {
					return protocol.ErrorEnvelope(err.Error()).Text()
				}
				return protocol.Envelope{Result: r}.Text()
			}
			switch spec["kind"] {
			case "value", "delay":
				return reply(goValue(spec["value"]))
			case "echo", "delayEcho":
				if len(args) == 0 {
					return "{}"
				}
				return protocol.Envelope{Result: args[0]}.Text()
			case "echoAll":
				return protocol.Envelope{Result: json.RawMessage(made.args)}.Text()
			case "argc":
				types := []any{}
				for _, a := range args {
					ty := "object"
					switch a[0] {
					case '"':
						ty = "string"
					case 'n':
						ty = "null"
					case 't', 'f':
						ty = "boolean"
					case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
						ty = "number"
					}
					types = append(types, ty)
				}
				return reply(map[string]any{"argc": len(args), "types": types, "args": json.RawMessage(made.args)})
			case "never":
				return ""
			case "throw":
				if r, ok := spec["raw"]; ok {
					return protocol.ErrorEnvelope(fmt.Sprint(r)).Text()
				}
				return protocol.ErrorEnvelope(spec["message"].(string)).Text()
			case "counter":
				counters[made.tool]++
				return reply(counters[made.tool])
			}
			return protocol.ErrorEnvelope("no kind").Text()
		}})
		got := map[string]any{}
		if f := o.done.Failure; f != nil {
			got["error"] = f.Message
			if f.Kind == "stalled" || f.Kind == "terminated" {
				got["error"] = "Execution timed out"
			}
			if f.Kind != "thrown" { got["kind"] = f.Kind }
		} else if o.done.Undefined {
			got["result"] = "undefined"
		} else {
			got["result"] = o.value
			if len(o.value) > 300 {
				got["result"] = o.value[:300]
			}
		}
		logs := []any{}
		for _, l := range o.logs {
			level, text, _ := strings.Cut(l, " ")
			switch level {
			case "log":
				logs = append(logs, text)
			case "warn", "error":
				logs = append(logs, "["+level+"] "+text)
			}
		}
		w := want[k.Name]
		wj := map[string]any{}
		if e, ok := w["error"]; ok {
			wj["error"] = e
		} else if w["jsonUndefined"] == true {
			wj["result"] = "undefined"
		} else if th, ok := w["threw"].(map[string]any); ok {
			wj["threw"] = th["message"]
		} else if w["result"] == nil && w["resultHead"] != nil {
			wj["result"] = w["resultHead"]
			got["result"] = o.value[:min(60, len(o.value))]
		} else {
			wj["result"] = w["result"]
			var v any
			if json.Unmarshal([]byte(o.value), &v) == nil && len(o.value) > 0 {
				got["result"] = v
			}
		}
		wl, _ := w["logs"].([]any)
		a, _ := json.Marshal([]any{got, logs})
		if wl == nil {
			wl = []any{}
		}
		b, _ := json.Marshal([]any{wj, wl})
		if string(a) == string(b) {
			same++
			continue
		}
		if len(a) > 400 { a = a[:400] }
		if len(b) > 400 { b = b[:400] }
		fmt.Printf("%-28s %s\n     got %s\n    want %s\n", k.Name, strings.ReplaceAll(k.Code, "\n", "\\n")[:min(150, len(k.Code))], a, b)
	}
	fmt.Println("same", same, "of", n)
	_ = sort.Strings
}
