package surface

import (
	_ "embed" // probe.js, probes.json
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Prelude defines what a probe's expression and its reading use; see probe.js.
//
//go:embed probe.js
var prelude string

//go:embed probes.json
var probesText []byte

// probeWords are what probes are put together from. Arguments are expressions, Instances make an object of each
// interface, Skipped matches the members that no probe touches, with the reason, and Known the differences there are.
type probeWords struct {
	Arguments []string
	Instances map[string]string
	Skipped   map[string]string
	Known     []knownDifference
}

// knownDifference is a kind of difference between the sides, with its reason: what is set of the three patterns has to
// match.
type knownDifference struct{ Probe, Reference, Ours, Reason string }

func (k knownDifference) matches(probe, reference, ours string) bool {
	fits := func(pattern, text string) bool { return pattern == "" || regexp.MustCompile(pattern).MatchString(text) }
	return fits(k.Probe, probe) && fits(k.Reference, reference) && fits(k.Ours, ours)
}

func readProbeWords() probeWords {
	var words probeWords
	if err := json.Unmarshal(probesText, &words); err != nil {
		panic("surface: probes.json: " + err.Error()) // it is part of the program
	}
	return words
}

// A target is something to call or read: expression has %s where the arguments go, or none when it takes none.
type target struct{ path, expression string }

// Probes makes n expressions over the members of the table that both sides have: each member called with arguments that
// it does not expect, on a receiver of its own or a wrong one. The same seed makes the same probes.
func (t Table) Probes(seed uint64, n int) []string {
	words := readProbeWords()
	targets := t.targets(words)
	random := rand.New(rand.NewPCG(seed, 0))
	probes := make([]string, n)
	for i := range probes {
		at := targets[random.IntN(len(targets))]
		var arguments []string
		for range random.IntN(4) {
			arguments = append(arguments, words.Arguments[random.IntN(len(words.Arguments))])
		}
		if strings.Contains(at.expression, "%1") && len(arguments) == 0 {
			arguments = []string{"undefined"}
		}
		expression := strings.ReplaceAll(at.expression, "%s", strings.Join(arguments, ", "))
		if len(arguments) > 0 {
			expression = strings.ReplaceAll(expression, "%1", arguments[0])
		}
		probes[i] = expression
	}
	return probes
}

var (
	prototypeMember = regexp.MustCompile(`^(\w+)\.prototype\.(\w+)$`)
	staticMember    = regexp.MustCompile(`^(\w+)\.(\w+)$`)
	moduleMember    = regexp.MustCompile(`^(node:[\w/]+) (\w+)$`)
	globalFunction  = regexp.MustCompile(`^[a-z]\w*$`)
	constructorCall = regexp.MustCompile(`^new (\w+)\(\)$`)
)

func (t Table) targets(words probeWords) []target {
	var targets []target
	for _, path := range t.Paths() {
		if t[path].Ours != "" && t[path].Reference != "" && !words.skips(path) {
			targets = append(targets, words.targetsOf(path, t[path].Reference)...)
		}
	}
	return targets
}

func (w probeWords) skips(path string) bool {
	for pattern := range w.Skipped {
		if regexp.MustCompile(pattern).MatchString(path) {
			return true
		}
	}
	return false
}

// targetsOf are the ways to touch one member.
func (w probeWords) targetsOf(path, description string) []target {
	call := strings.HasPrefix(description, "function")
	if m := prototypeMember.FindStringSubmatch(path); m != nil && w.Instances[m[1]] != "" && m[2] != "constructor" {
		return w.memberTargets(path, m[1], m[2], description)
	}
	if m := staticMember.FindStringSubmatch(path); m != nil && call && (w.Instances[m[1]] != "" || m[1] == "Buffer") {
		return []target{{path, path + "(%s)"}}
	}
	if m := moduleMember.FindStringSubmatch(path); m != nil && call && m[2] != "default" {
		return []target{{path, fmt.Sprintf("(await import('%s')).%s(%%s)", m[1], m[2])}}
	}
	if globalFunction.MatchString(path) && call {
		return []target{{path, path + "(%s)"}}
	}
	if m := constructorCall.FindStringSubmatch(path); m != nil && w.Instances[m[1]] != "" {
		return []target{{path, "new " + m[1] + "(%s)"}, {path, "new " + m[1] + "(%s)"}, {path, m[1] + "(%s)"}}
	}
	return nil
}

func (w probeWords) memberTargets(path, name, member, description string) []target {
	instance := w.Instances[name]
	if strings.HasPrefix(description, "function") {
		called := fmt.Sprintf("const t = %s; return [await outcome(() => t.%s(%%s)), await outcome(() => t)]", instance, member)
		return []target{{path, called}, {path, called}, {path, called}, {path, fmt.Sprintf("%s.prototype.%s.call(%%1)", name, member)}}
	}
	if strings.Contains(description, "set") {
		assigned := fmt.Sprintf("const t = %s; t.%s = %%1; return [await outcome(() => t.%s), await outcome(() => t)]", instance, member, member)
		return []target{{path, assigned}}
	}
	return []target{{path, fmt.Sprintf("(%s).%s", instance, member)}, {path, fmt.Sprintf("Reflect.get(%s.prototype, '%s', %%1)", name, member)}}
}
