package differential

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/typegen"
)

// printed is one line of types.mjs.
type printed struct{ File, Tool, Block, Threw string }

// typeRules are the known differences of a tool's declarations. Each takes what it explains out of both texts.
var typeRules = []struct {
	name  string
	strip func(text string) string
}{
	// A union or intersection that is an array's item stands in parentheses with us. Without them it means something else.
	{"parentheses", func(text string) string { return strings.NewReplacer("(", "", ")", "").Replace(text) }},
	// {"type": ["object", "null"], "properties": …} keeps its null with us.
	{"null", func(text string) string { return regexp.MustCompile(`\s*\| null`).ReplaceAllString(text, "") }},
}

// TestTypes asks the real generateTypesFromJsonSchema for the tools of real servers, and compares.
func TestTypes(t *testing.T) {
	directory := filepath.Join(handed, "mcp-tools")
	tools := serverTools(t, directory)
	counts := map[string]int{}
	for _, p := range ask[printed](t, nil, "types.mjs", directory) {
		ours := typegen.GenerateTool("codemode", tools[p.File+" "+p.Tool]).String()
		rule, ok := explainTypes(p.Block, ours)
		if !ok || p.Threw != "" {
			t.Errorf("%s %s: %s (-reference +ours):\n%s", p.File, p.Tool, p.Threw, cmp.Diff(p.Block, ours))
			continue
		}
		counts[rule]++
	}
	t.Log("tools by rule:", counts)
	if counts["equal"] < 1000 {
		t.Errorf("%d tools are equal, expected most of 1504", counts["equal"])
	}
}

// explainTypes names the rules that it takes to make two texts equal.
func explainTypes(reference, ours string) (string, bool) {
	if reference == ours {
		return "equal", true
	}
	all := []string{}
	for _, rule := range typeRules {
		a, b := rule.strip(reference), rule.strip(ours)
		if a == b {
			return rule.name, true
		}
		all = append(all, rule.name)
	}
	for _, rule := range typeRules {
		reference, ours = rule.strip(reference), rule.strip(ours)
	}
	return strings.Join(all, " and "), reference == ours
}

// serverTools reads the tools/list results in a directory, by file and name.
func serverTools(t *testing.T, directory string) map[string]typegen.Tool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	if err != nil || len(files) == 0 {
		missing(t, "no tools of servers in "+directory)
	}
	tools := map[string]typegen.Tool{}
	for _, file := range files {
		var list struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(read(t, file), &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, tool := range list.Tools {
			tools[filepath.Base(file)+" "+tool.Name] = typegen.Tool{
				Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
			}
		}
	}
	return tools
}
