package link

import (
	"container/list"
	"crypto/sha256"
	"strings"
	"sync"
)

// Cache keeps transformed texts by their content, so that a program run again, or a module map that
// many programs share, is transformed once. It is safe for concurrent use; a nil Cache keeps nothing.
type Cache struct {
	mu      sync.Mutex
	limit   int
	used    int
	entries map[cacheKey]*list.Element
	recent  *list.List // of *cacheEntry, most recently used first
}

type cacheKey struct {
	kind byte
	name string
	sum  [sha256.Size]byte
}

type cacheEntry struct {
	key  cacheKey
	info *unitInfo
}

// NewCache returns a Cache that holds at most about limit bytes of transformed text.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, entries: map[cacheKey]*list.Element{}, recent: list.New()}
}

// Link links p with what the cache knows. The error is a *SyntaxError in the program's own text; a
// syntax error in a module is thrown when a program imports that module.
func (c *Cache) Link(p Program) (*Linked, error) { return link(p, c) }

// program returns the transformed program; a failure is not kept.
func (c *Cache) program(source string) (*unitInfo, error) {
	key := cacheKey{kind: 'p', sum: sha256.Sum256([]byte(source))}
	if info := c.get(key); info != nil {
		return info, nil
	}
	info, err := newProgram(source)
	if err == nil {
		c.put(key, info)
	}
	return info, err
}

// Imports gives code that runs before a program a name for its import(), which the engine does not know, in place of the
// word: the name has to be among the Imports of the Program. It is empty where there is no import(), and the code as it was.
func (c *Cache) Imports(source string) (code, name string) {
	if !strings.Contains(source, "import") {
		return source, ""
	}
	key := cacheKey{kind: 'i', sum: sha256.Sum256([]byte(source))}
	info := c.get(key)
	if info == nil {
		info = newPrelude(source)
		c.put(key, info)
	}
	return info.code, info.importWord
}

// moduleKey is the key of a transformed module.
func moduleKey(name, source string) cacheKey {
	return cacheKey{kind: 'm', name: name, sum: sha256.Sum256([]byte(source))}
}

func (c *Cache) get(key cacheKey) *unitInfo {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[key]
	if element == nil {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cacheEntry).info
}

func (c *Cache) put(key cacheKey, info *unitInfo) {
	if c == nil || info.size() > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil {
		return
	}
	c.entries[key] = c.recent.PushFront(&cacheEntry{key, info})
	c.used += info.size()
	for c.used > c.limit {
		oldest := c.recent.Remove(c.recent.Back()).(*cacheEntry)
		delete(c.entries, oldest.key)
		c.used -= oldest.info.size()
	}
}
