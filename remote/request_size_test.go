package remote

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// members is a list of so many values, without its brackets.
func members(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

func TestARequestOfTooManyValues(t *testing.T) {
	const many = mostValues + 1
	quoted, _ := json.Marshal(`{` + members(many, `"k":""`) + `}`)
	for name, text := range map[string]string{
		"providers":    `{"providers":[` + members(many, `{}`) + `]}`,
		"tools":        `{"providers":[{"name":"a","tools":[` + members(many, `"t"`) + `]}]}`,
		"modules":      `{"modules":{` + members(many, `"k":""`) + `}}`,
		"modulesJson":  `{"modulesJson":` + string(quoted) + `}`,
		"limits":       `{"limits":{` + members(many, `"k":1`) + `}}`,
		"nobody's":     `{` + members(many, `"k":1`) + `}`,
		"behind texts": `{"code":"\\\"{[,","providers":[` + members(many, `{"name":"]}\""}`) + `]}`,
	} {
		_, _, err := decodeRequest(json.RawMessage(text))
		if !errors.Is(err, protocol.CodeInvalidRequest) || !strings.Contains(err.Error(), "has more than 262144 values") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"commas in texts": `{"code":"` + strings.Repeat(",", many) + `","modules":{"m":"` + strings.Repeat(`\",`, many) + `"}}`,
		"a catalogue":     `{"providers":[` + members(1000, `{"name":"a","tools":[`+members(100, `"t"`)+`]}`) + `]}`,
	} {
		if _, _, err := decodeRequest(json.RawMessage(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACallOfTooManyArguments(t *testing.T) {
	const many = mostValues + 1
	for _, text := range []string{`{"args":[` + members(many, "0") + `]}`, `{"argsJson":"[` + members(many, "0") + `]"}`} {
		_, err := decodeInvoke(json.RawMessage(text))
		if !errors.Is(err, protocol.CodeInvalidRequest) || !strings.Contains(err.Error(), "has more than 262144 values") {
			t.Errorf("%.20s: %v", text, err)
		}
	}
	for _, text := range []string{`{"args":[[` + members(many, "0") + `]]}`, `{"argsJson":"[{\"k\":[` + members(many, "0") + `]}]"}`} {
		request, err := decodeInvoke(json.RawMessage(text))
		if err != nil || len(request.Args) != 1 {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}
