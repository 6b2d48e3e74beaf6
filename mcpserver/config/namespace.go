package config

import (
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// Namespace makes the identifier under which programs see a server: letters, digits, "_" and "$" stay, everything else
// becomes "_", a leading digit gets one in front and a name that a program already binds one behind. A name with
// nothing that stays is spelled by its code points, so that 天気 and 地図 do not meet.
func Namespace(name string) string {
	var b strings.Builder
	plain := false
	for _, r := range name {
		if isIdentifierCharacter(r) {
			b.WriteRune(r)
			plain = plain || r != '_'
		} else {
			b.WriteByte('_')
		}
	}
	id := b.String()
	if !plain {
		b.Reset()
		for _, r := range name {
			fmt.Fprintf(&b, "u%04x_", r)
		}
		id = strings.TrimSuffix(b.String(), "_")
	}
	if id == "" {
		id = "server"
	}
	if '0' <= id[0] && id[0] <= '9' {
		id = "_" + id
	}
	if isTaken(id) {
		id += "_"
	}
	return id
}

func isIdentifierCharacter(r rune) bool {
	return r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isTaken reports whether a program could not bind the name, or would lose by it something that programs rely on.
func isTaken(id string) bool {
	if protocol.IsReservedWord(id) || protocol.IsReservedProviderName(id) || strings.HasPrefix(id, "__") {
		return true
	}
	switch id {
	case "undefined", "NaN", "Infinity", "globalThis", "Object", "Array", "String", "Number", "Boolean", "Symbol", "BigInt",
		"JSON", "Math", "Date", "RegExp", "Map", "Set", "WorkerEntrypoint", "CodeExecutor":
		return true
	}
	return false
}
