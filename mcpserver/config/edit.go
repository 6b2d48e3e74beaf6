package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Replace takes servers out of the text of a host's file and puts entry in their place. Every other byte stays as it is,
// comments among them. A text without the host's key gets it.
func (h *Host) Replace(file string, data []byte, taken []string, entry string) ([]byte, error) {
	rest, _, at, err := h.cut(file, data, taken)
	if err != nil {
		return nil, err
	}
	out, err := h.insert(file, rest, at, []string{entry})
	if err != nil {
		return nil, err
	}
	return out, h.verify(file, data, out, append(slices.Clone(taken), EntryName))
}

// Restore undoes Replace in a file that was changed since: the servers taken are put back as original has them, in the
// place of our entry.
func (h *Host) Restore(file string, data, original []byte, taken []string) ([]byte, error) {
	_, pieces, _, err := h.cut(file, original, taken)
	if err != nil {
		return nil, err
	}
	rest, _, at, err := h.cut(file, data, []string{EntryName})
	if err != nil {
		return nil, err
	}
	out, err := h.insert(file, rest, at, pieces)
	if err != nil {
		return nil, err
	}
	return out, h.verify(file, data, out, append(slices.Clone(taken), EntryName))
}

// EntryName is what our entry in a host's file is called.
const EntryName = "codemode"

// cut removes the entries with these names. It returns their texts in the order of the file, and where the first was, which
// only TOML and YAML have.
func (h *Host) cut(file string, data []byte, names []string) (rest []byte, pieces []string, at int, err error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".toml":
		return cutTOML(data, h.key, names)
	case ".yaml", ".yml":
		return cutYAML(data, h.key, names)
	}
	rest, pieces, err = cutJSON(data, h.key, names)
	return rest, pieces, -1, err
}

func (h *Host) insert(file string, data []byte, at int, pieces []string) ([]byte, error) {
	if len(pieces) == 0 {
		return data, nil
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".toml":
		return insertTOML(data, at, pieces), nil
	case ".yaml", ".yml":
		return insertYAML(data, h.key, at, pieces), nil
	}
	return insertJSON(data, h.key, pieces)
}

// verify reads both texts and makes sure that nothing differs but the named servers. It guards against a text that is
// written in a way that was not thought of.
func (h *Host) verify(file string, before, after []byte, names []string) error {
	old, err := parseOrEmpty(file, before)
	if err != nil {
		return err
	}
	changed, err := parseTree(file, after)
	if err != nil {
		return fmt.Errorf("%s: the changed text would not be readable (%w); nothing was written", file, err)
	}
	if !sameBut(old, changed, h.key, names) {
		return fmt.Errorf("%s: the text is written in a way that cannot be changed safely; nothing was written", file)
	}
	return nil
}

// parseOrEmpty reads a text of which nothing may be there yet.
func parseOrEmpty(file string, data []byte) (*node, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))) == 0 {
		return &node{kind: isObject}, nil
	}
	top, err := parseTree(file, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if top.kind != isObject {
		return nil, fmt.Errorf("%s: must hold an object, holds %s", file, top.kind)
	}
	return top, nil
}

// sameBut compares two files without the named servers.
func sameBut(a, b *node, key string, names []string) bool {
	strip := func(n *node) *node {
		out := &node{kind: isObject}
		for _, m := range n.members {
			if m.key != key {
				out.members = append(out.members, m)
				continue
			}
			servers := &node{kind: isObject}
			for _, s := range m.value.members {
				if !slices.Contains(names, s.key) {
					servers.members = append(servers.members, s)
				}
			}
			if len(servers.members) > 0 {
				out.members = append(out.members, member{key: key, value: servers})
			}
		}
		return out
	}
	return sameTree(strip(a), strip(b))
}

// sameTree compares values; the order of members counts for nothing, because TOML's tables may move.
func sameTree(a, b *node) bool {
	if a.kind != b.kind || a.text != b.text || len(a.members) != len(b.members) || len(a.items) != len(b.items) {
		return false
	}
	for _, m := range a.members {
		other := b.get(m.key)
		if other == nil || !sameTree(a.get(m.key), other) {
			return false
		}
	}
	for i := range a.items {
		if !sameTree(a.items[i], b.items[i]) {
			return false
		}
	}
	return true
}
