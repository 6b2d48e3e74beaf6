package protocol

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTimeoutsResolveOrNameTheField(t *testing.T) {
	const fallback, maximum = 60 * time.Second, 5 * time.Minute
	for _, c := range []struct {
		timeout Timeout
		want    time.Duration
		refused string
	}{
		{timeout: Timeout{}, want: fallback},
		{timeout: MaximumTimeout(), want: maximum},
		{timeout: TimeoutOf(time.Second), want: time.Second},
		{timeout: TimeoutOf(maximum), want: maximum},
		{timeout: TimeoutOf(maximum + time.Millisecond), refused: "timeout must be at most 300000 ms, got 300001 ms"},
		{timeout: TimeoutOf(0), refused: "timeout must be greater than 0 ms, got 0s"},
		{timeout: TimeoutOf(-time.Second), refused: "timeout must be greater than 0 ms, got -1s"},
	} {
		got, err := c.timeout.Resolve(fallback, maximum)
		if c.refused != "" {
			if !errors.Is(err, CodeInvalidRequest) || err.Error() != c.refused {
				t.Errorf("%+v: error %v", c.timeout, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c.timeout, got, err)
		}
	}
	if got, err := (Timeout{}).Resolve(time.Hour, time.Minute); got != time.Minute || err != nil {
		t.Errorf("a default above the maximum gives %s, %v", got, err)
	}
	if TimeoutOf(1).IsMaximum() || !MaximumTimeout().IsSet() || (Timeout{}).IsSet() || !TimeoutOf(0).IsSet() {
		t.Error("the kinds of timeout are mixed up")
	}
	if d, ok := TimeoutOf(time.Second).Duration(); d != time.Second || !ok {
		t.Errorf("duration %s, %v", d, ok)
	}
	if _, ok := MaximumTimeout().Duration(); ok {
		t.Error("the maximum has a duration")
	}
}

func TestOutboundModes(t *testing.T) {
	via := func(context.Context, *http.Request) (*http.Response, error) { return nil, nil }
	for want, outbound := range map[OutboundMode]Outbound{
		OutboundUnset: {}, OutboundInherit: InheritOutbound(), OutboundBlocked: BlockOutbound(), OutboundStub: OutboundVia(via),
	} {
		if outbound.Mode() != want || (outbound.Func() != nil) != (want == OutboundStub) {
			t.Errorf("%q: mode %q, function %v", want, outbound.Mode(), outbound.Func() != nil)
		}
	}
	if got := OutboundVia(nil).Mode(); got != OutboundBlocked {
		t.Errorf("no function gives mode %q", got)
	}
}

func TestEveryLimitHasADefaultAndOnlyTightens(t *testing.T) {
	base := DefaultLimits()
	fields := reflect.TypeFor[Limits]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		set := func(n int64) Limits {
			var l Limits
			reflect.ValueOf(&l).Elem().Field(i).SetInt(n)
			return l
		}
		have := reflect.ValueOf(base).Field(i).Int()
		if have <= 1 {
			t.Errorf("%s has the default %d", name, have)
		}
		tightened, err := base.Tighten(set(have - 1))
		want := base
		reflect.ValueOf(&want).Elem().Field(i).SetInt(have - 1)
		if err != nil || tightened != want {
			t.Errorf("%s: %+v, %v", name, tightened, err)
		}
		if same, err := base.Tighten(set(have)); err != nil || same != base {
			t.Errorf("%s: its own value gives %+v, %v", name, same, err)
		}
		for _, wrong := range []int64{-1, have + 1} {
			_, err := base.Tighten(set(wrong))
			if !errors.Is(err, CodeInvalidRequest) || !strings.Contains(strings.ToLower(err.Error()), "limits."+strings.ToLower(name)) {
				t.Errorf("%s = %d: error %v", name, wrong, err)
			}
		}
	}
	if same, err := base.Tighten(Limits{}); err != nil || same != base {
		t.Errorf("no limits give %+v, %v", same, err)
	}
}

func TestProvidersThatCannotBeNamespacesAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"api": "", "$": "", "_x1": "", "codemode": "", "toString": "", "then": "", "undefined_": "",
		"Promise": "already bound", "console": "already bound", "__dispatch": "already bound", "setTimeout": "already bound", "Error": "already bound",
		"": "not an identifier", "my-api": "not an identifier", "1st": "not an identifier", "a b": "not an identifier",
		"天気": "not an identifier", "a\n": "not an identifier", "api.v2": "not an identifier",
		"class": "reserved word", "await": "reserved word", "yield": "reserved word", "let": "reserved word", "static": "reserved word",
		"eval": "reserved word", "arguments": "reserved word", "async": "reserved word", "null": "reserved word", "enum": "reserved word",
	} {
		err := ValidateProviders([]ProviderDescriptor{{Name: "first"}, {Name: name}})
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, CodeInvalidRequest) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "providers[1].name: ") {
			t.Errorf("%q: error %v, want %q in it", name, err, want)
		}
	}
	for want, providers := range map[string][]ProviderDescriptor{
		`providers[1].name: "a" is used by two providers`: {{Name: "a"}, {Name: "a"}},
		"providers[0].tools[1]: a tool name":              {{Name: "a", Tools: []string{"ok", ""}}},
		"providers[0].tools[0]: a tool name":              {{Name: "a", Tools: []string{"x\x00y"}}},
	} {
		if err := ValidateProviders(providers); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := ValidateProviders(nil); err != nil {
		t.Errorf("no providers: %v", err)
	}
	for _, name := range ReservedProviderNames() {
		if !IsReservedProviderName(name) {
			t.Errorf("%s is listed and not reserved", name)
		}
	}
}
