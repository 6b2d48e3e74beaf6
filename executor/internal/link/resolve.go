package link

import "strings"

// resolve names the module that specifier means inside the module called from ("" is the program),
// and says whether the map has it. As in workerd a specifier is a path relative to the importing
// module's directory, with or without a leading "./"; empty segments vanish. Beyond workerd, a bare
// specifier that names nothing there is looked up from the root, so "lodash" works everywhere, and so
// is the exact text of a key. runtime.js has the same rules for import().
func resolve(from, specifier string, modules map[string]string) (string, bool) {
	path, inside := normalise(directory(from), specifier)
	if !inside {
		return specifier, false
	}
	if _, ok := modules[path]; ok {
		return path, true
	}
	if !strings.HasPrefix(specifier, ".") {
		if root, inside := normalise(nil, specifier); inside {
			if _, ok := modules[root]; ok {
				return root, true
			}
		}
	}
	if _, ok := modules[specifier]; ok {
		return specifier, true
	}
	return path, false
}

// directory splits the path of the module's directory.
func directory(name string) []string {
	segments := strings.Split(name, "/")
	return segments[:len(segments)-1]
}

// normalise evaluates specifier against base; inside is false when it climbs out of the root.
func normalise(base []string, specifier string) (path string, inside bool) {
	segments := append([]string(nil), base...)
	if strings.HasPrefix(specifier, "/") {
		segments = nil
	}
	for part := range strings.SplitSeq(specifier, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(segments) == 0 {
				return "", false
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(segments, part)
		}
	}
	if len(segments) == 0 {
		return ".", true
	}
	return strings.Join(segments, "/"), true
}
