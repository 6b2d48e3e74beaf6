package differential

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// handed is where the cases, the recorded answers and the tools of real servers are.
const handed = "../../../shared"

// missing fails where everything has to be there, and skips elsewhere.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// ask runs one of the scripts with the reference's package and decodes each line that it prints.
func ask[T any](t *testing.T, input []byte, script string, args ...string) []T {
	t.Helper()
	if _, err := os.Stat("../reference/node_modules/codemode-0.5.6"); err != nil {
		missing(t, "npm ci has not run in compat/reference")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	command := exec.CommandContext(t.Context(), node, append([]string{"--no-warnings", "--experimental-vm-modules", "--import", "./register.mjs", script}, args...)...)
	command.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, stderr.String())
	}
	return decodeLines[T](t, out)
}

func decodeLines[T any](t *testing.T, text []byte) []T {
	t.Helper()
	var out []T
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// read returns the text of a file, and fails or skips without it.
func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		missing(t, err.Error())
	}
	return text
}
