package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// rootURI is what a document without an $id is called, so that relative references have something to be relative to.
const rootURI = "tool:///schema"

// resource is a schema with a URI of its own, and the anchors in it. Places are as seen from outside: the schema's own
// $id does not count in them yet.
type resource struct {
	value   any
	at      place
	anchors map[string]anchor
	// dynamic are the schemas with a $dynamicAnchor, by its name; recursive the whole, with $recursiveAnchor.
	dynamic   map[string]*node
	recursive *node
}

type anchor struct {
	value any
	at    place
}

// enter moves the base URI when a schema has one of its own.
func (c *compiler) enter(object map[string]any, at place) place {
	id := c.idOf(object)
	if id != "" {
		at.base = join(at.base, id)
	}
	if r, ok := c.resources[at.base]; ok {
		at.scope = r
	}
	return at
}

// idOf is a schema's own URI without a fragment; in drafts 4 to 7 a reference has no other keywords.
func (c *compiler) idOf(object map[string]any) string {
	if _, isRef := object["$ref"]; isRef && (c.draft == draft4 || c.draft == draft7) {
		return ""
	}
	id, ok := object["$id"].(string)
	if !ok && (c.draft == draft4 || c.draft == anyDraft) {
		id, _ = object["id"].(string)
	}
	if strings.HasPrefix(id, "#") { // an anchor of draft 7
		return ""
	}
	return strings.TrimSuffix(id, "#")
}

// index notes every URI and anchor below value, wherever a schema may stand.
func (c *compiler) index(value any, at place) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.index(item, at.down(strconv.Itoa(i)))
		}
	case map[string]any:
		id, outer := c.idOf(value), at
		if id != "" {
			at.base = join(at.base, id)
		}
		if id != "" || at.pointer == "" {
			if _, taken := c.resources[at.base]; !taken {
				c.resources[at.base] = &resource{value: value, at: outer, anchors: map[string]anchor{}}
			}
		}
		c.indexAnchors(value, c.resources[at.base], outer)
		for key, child := range value {
			if key != "enum" && key != "const" && key != "default" && key != "examples" {
				c.index(child, at.down(key))
			}
		}
	}
}

func (c *compiler) indexAnchors(object map[string]any, r *resource, at place) {
	if r == nil {
		return
	}
	for _, key := range [...]string{"$anchor", "$dynamicAnchor", "$id", "id"} {
		name, _ := object[key].(string)
		if key == "$id" || key == "id" {
			if !strings.HasPrefix(name, "#") {
				continue
			}
			name = name[1:]
		}
		if name != "" {
			if _, taken := r.anchors[name]; !taken {
				r.anchors[name] = anchor{object, at}
			}
		}
	}
}

// lookup finds what a reference leads to.
func (c *compiler) lookup(ref string, from place) (value any, at place, ok bool) {
	target, fragment, _ := strings.Cut(ref, "#")
	base := from.base
	if target != "" {
		base = join(base, target)
	}
	r := c.resources[base]
	if r == nil {
		return nil, place{}, false
	}
	switch {
	case fragment == "":
		return r.value, r.at, true
	case strings.HasPrefix(fragment, "/"):
		return c.walk(r, fragment)
	}
	name, err := url.PathUnescape(fragment)
	if err != nil {
		name = fragment
	}
	a, ok := r.anchors[name]
	return a.value, a.at, ok
}

// walk follows a JSON pointer. A segment is tried as it stands and then percent-decoded, since servers write both.
func (c *compiler) walk(r *resource, pointer string) (value any, at place, ok bool) {
	value, at = r.value, r.at
	for segment := range strings.SplitSeq(pointer[1:], "/") {
		if object, isObject := value.(map[string]any); isObject {
			at = c.enter(object, at)
		}
		key := unescape(segment)
		next, found := step(value, key)
		if !found {
			if decoded, err := url.PathUnescape(segment); err == nil {
				key = unescape(decoded)
				next, found = step(value, key)
			}
		}
		if !found {
			return nil, place{}, false
		}
		value, at = next, at.down(key)
	}
	return value, at, true
}

func unescape(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

func step(value any, key string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		next, ok := value[key]
		return next, ok
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(value) {
			return value[i], true
		}
	}
	return nil, false
}

// join resolves a reference against a base; one that is no URI names itself.
func join(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	resolved := b.ResolveReference(r)
	resolved.Fragment = ""
	return resolved.String()
}
