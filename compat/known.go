package compat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Reason is why a difference is deliberate. The first eight are the policy's; a new one needs an argument in RATIONALE.md.
type Reason string

// The reasons.
const (
	// ReasonEnvelope: the reference's execute rejects and loses the logs; we answer {error, logs}.
	ReasonEnvelope Reason = "envelope"
	// ReasonThrown: the reference reports success for a thrown value without a message; we keep the value.
	ReasonThrown Reason = "thrown value"
	// ReasonNamespace: a namespace is no thenable with us, and names of Object.prototype are tools like any other.
	ReasonNamespace Reason = "namespace"
	// ReasonRunsAnyway: the program is one that a model writes, and runs here.
	ReasonRunsAnyway Reason = "runs anyway"
	// ReasonResult: the reference refuses to hand a value over; we return what JSON makes of it.
	ReasonResult Reason = "result"
	// ReasonNoHarness: the reference's internals are within the program's reach; ours are not.
	ReasonNoHarness Reason = "no harness"
	// ReasonNames: names that break the reference's harness are refused, or work.
	ReasonNames Reason = "names"
	// ReasonPlatform: a member of the surface that we lack or add, in the recorded table.
	ReasonPlatform Reason = "platform"
	// ReasonRelease: an older release behaves otherwise than the newest, which is the one we follow.
	ReasonRelease Reason = "release"
)

// Rule is one deliberate difference, stated on the shape of a case and its two outcomes.
type Rule struct {
	Name   string
	Reason Reason
	// Covers reports whether the difference is of this shape, and our outcome the one that the rule promises.
	Covers func(d *Difference) bool
}

// Difference is one case with two outcomes that are not equal.
type Difference struct {
	Case *casefile.Case
	// Want is the reference's outcome in the release at hand, Newest that of the newest release.
	Want, Newest *Expected
	Ours         Ours
	Diffs        []Diff
	// run runs another case on our side, so that a rule can prove what it claims.
	run func(*casefile.Case) Ours
}

// Rules lists the deliberate differences. The first that covers a difference names it.
func Rules() []Rule {
	return slices.Concat(
		envelopeRules(), harnessRules(), thrownRules(), namespaceRules(), runsAnywayRules(), resultRules(), nameRules(),
		wordRules(), releaseRules(),
	)
}

// releaseRules judge an older release's column: what changed upstream since, we do as the newest release does.
func releaseRules() []Rule {
	return []Rule{{"follows-the-newest-release", ReasonRelease, func(d *Difference) bool {
		if d.Newest == nil || d.Newest == d.Want {
			return false
		}
		newest := *d
		newest.Want = d.Newest
		if newest.Diffs = Compare(d.Newest, d.Ours.Outcome); len(newest.Diffs) == 0 {
			return true
		}
		return slices.ContainsFunc(Rules(), func(rule Rule) bool { return rule.Covers(&newest) })
	}}}
}

// ran reports whether our side has a value and no error.
func (d *Difference) ran() bool { return d.Ours.Err == nil && d.Ours.Error == "" }

// threw reports whether our side failed because the program threw.
func (d *Difference) threw() bool {
	return d.Ours.Failure != nil && d.Ours.Failure.Kind == protocol.FailureThrown
}

// sameLogs reports whether the log lines agree, where the reference kept any.
func (d *Difference) sameLogs() bool {
	_, _, ok := compareLogs(d.Want, d.Ours.Outcome)
	return ok
}

// probe runs the case with other code.
func (d *Difference) probe(code string) Ours {
	other := *d.Case
	other.Code = code
	return d.run(&other)
}

// wrapped runs other code around the program: an arrow that is called with the program's. It reports false when the
// program cannot be wrapped.
func (d *Difference) wrapped(code string) (Ours, bool) {
	arrow, ok := d.arrow()
	if !ok {
		return Ours{}, false
	}
	return d.probe(fmt.Sprintf("async () => (\n%s)(%s\n)", code, arrow)), true
}

// withNamespaces runs other code around the program: a function that is called with the namespaces by name and with the
// program, which takes them in the same shape. It reports false when the program cannot be wrapped.
func (d *Difference) withNamespaces(code string) (Ours, bool) {
	arrow, ok := d.arrow()
	if !ok {
		return Ours{}, false
	}
	names := "{" + strings.Join(d.namespaces(), ", ") + "}"
	return d.probe(fmt.Sprintf("async () => (\n%s)(%s, (%s) => (%s\n)())", code, names, names, arrow)), true
}

// arrow is the program as an expression; false when it has imports in front.
func (d *Difference) arrow() (string, bool) {
	arrow := strings.TrimRight(dialect.NormalizeCode(d.Case.Code), "; \t\r\n")
	return arrow, !leadingImport.MatchString(arrow)
}

// equalsWanted reports whether another outcome of ours is the reference's.
func (d *Difference) equalsWanted(other Ours) bool {
	if d.Want.Hang != "" {
		return other.Error == protocol.TimeoutMessage
	}
	return other.Err == nil && len(Compare(d.Want, other.Outcome)) == 0
}

// agrees reports whether another outcome of ours is the same as the one at hand.
func (d *Difference) agrees(other Ours) bool { return sameOutcome(d.Ours.Outcome, other.Outcome) }

func sameOutcome(a, b *casefile.Outcome) bool {
	return a.Error == b.Error && slices.Equal(a.Logs, b.Logs) && sameJSON(a.Result, b.Result) && sameJSON(a.ErrorJSON, b.ErrorJSON)
}

// sameJSON is equalJSON where either may be nil.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return equalJSON(a, b)
}

// text returns our result when it is a string.
func (o Ours) text() (string, bool) {
	var s string
	if o.Result == nil || json.Unmarshal(o.Result, &s) != nil {
		return "", false
	}
	return s, true
}

// namespaces are the provider names of the case.
func (d *Difference) namespaces() []string {
	names := make([]string, len(d.Case.Providers))
	for i, p := range d.Case.Providers {
		names[i] = p.Name
	}
	return names
}

// hasTool reports whether a program can call a tool by this name.
func (d *Difference) hasTool(name string) bool {
	return slices.ContainsFunc(d.Case.Providers, func(p casefile.Provider) bool {
		return slices.ContainsFunc(p.Tools, func(t casefile.Tool) bool { return dialect.SanitizeToolName(t.Name) == name })
	})
}

// word matches an identifier that stands by itself.
func word(name string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w$])` + regexp.QuoteMeta(name) + `($|[^\w$])`)
}

var leadingImport = regexp.MustCompile(`^\s*import[\s{*'"]`)

// missing matches the engine's words for something that is not there.
var missing = regexp.MustCompile(`^(\S+ is not defined|.* is not a (function|constructor)|No such module "(node|cloudflare):.*|Cannot read properties of undefined .*)`)

// waitsForPlatform reports whether an uncovered difference comes from an interface of the web or node platform that
// our side lacks: it failed for want of something where the reference went on.
func waitsForPlatform(d *Difference) bool {
	if d.Ours.Error != "" {
		return missing.MatchString(d.Ours.Error)
	}
	group, _, _ := strings.Cut(d.Case.Name, ".")
	return group == "env" || group == "net"
}
