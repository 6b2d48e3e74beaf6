package codetool

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// The bounds of Pages, where PagesOptions does not say.
const (
	// DefaultPagesBytes bounds all texts that are kept. An owner has half of it: one result may have 32 MiB at most, and
	// several are rare.
	DefaultPagesBytes = 64 << 20
	// DefaultPagesLifetime is how long a text is kept: a model that reads on does so at once.
	DefaultPagesLifetime = 15 * time.Minute
	// DefaultPageBytes is the length of a page; as much as a result has.
	DefaultPageBytes = MaxResponse
)

// PagesOptions adjusts a Pages. The zero value of every field is its documented default.
type PagesOptions struct {
	// Bytes bounds all texts together, in bytes, and half of it those of one owner, whose oldest make room; then those of
	// the owner who has most. 0 is DefaultPagesBytes.
	Bytes int
	// Lifetime is how long a text is kept; 0 is DefaultPagesLifetime.
	Lifetime time.Duration
	// PageBytes bounds a page, in bytes; 0 is DefaultPageBytes.
	PageBytes int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Pages keeps texts that were too long for an answer, for whoever got the answer to read them page by page. It is safe
// for concurrent use.
type Pages struct {
	options PagesOptions

	mu    sync.Mutex
	texts []*pagedText // the oldest first
	bytes int
}

type pagedText struct {
	id, owner string
	text      string
	starts    []int // of each page, in bytes
	until     time.Time
}

// NewPages makes an empty store.
func NewPages(options *PagesOptions) *Pages {
	var o PagesOptions
	if options != nil {
		o = *options
	}
	if o.Bytes == 0 {
		o.Bytes = DefaultPagesBytes
	}
	if o.Lifetime == 0 {
		o.Lifetime = DefaultPagesLifetime
	}
	if o.PageBytes == 0 {
		o.PageBytes = DefaultPageBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Pages{options: o}
}

// NoPageError says that a page cannot be read, and why.
type NoPageError struct {
	// Page is what was asked for; Pages is how many there are, 0 when the text is not kept (any more).
	Page, Pages int
}

func (e *NoPageError) Error() string {
	if e.Pages == 0 {
		return "this result is not kept any more (limits pagesLifetime and pagesBytes), or never was; run the program again and return less"
	}
	return fmt.Sprintf("there is no page %d: the result has the pages 1 to %d", e.Page, e.Pages)
}

// Keep keeps a text for its owner. The id, which no one can guess, and the number of its pages lead to it. It is not ok
// when the text alone is beyond what one owner may have.
func (p *Pages) Keep(owner, text string) (id string, pages int, ok bool) {
	if len(text) > p.options.Bytes/2 {
		return "", 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.options.Now()
	p.drop(func(t *pagedText) bool { return !t.until.After(now) })
	p.makeRoom(owner, len(text))
	kept := &pagedText{id: rand.Text(), owner: owner, text: text, starts: pageStarts(text, p.options.PageBytes), until: now.Add(p.options.Lifetime)}
	p.texts = append(p.texts, kept)
	p.bytes += len(text)
	return kept.id, len(kept.starts), true
}

// makeRoom has a text of so many bytes fit, at the cost of its owner or else of who has most. It is called with mu held.
func (p *Pages) makeRoom(owner string, size int) {
	has := map[string]int{}
	for _, t := range p.texts {
		has[t.owner] += len(t.text)
	}
	loses := func(is func(owner string) bool) {
		oldest := p.texts[slices.IndexFunc(p.texts, func(t *pagedText) bool { return is(t.owner) })]
		has[oldest.owner] -= len(oldest.text)
		p.drop(func(t *pagedText) bool { return t == oldest })
	}
	for has[owner]+size > p.options.Bytes/2 {
		loses(func(o string) bool { return o == owner })
	}
	for p.bytes+size > p.options.Bytes {
		most := slices.Max(slices.Collect(maps.Values(has)))
		loses(func(o string) bool { return has[o] == most })
	}
}

// Read gives a page of a text that was kept for owner, counted from 1, and how many there are. The error is a
// *NoPageError.
func (p *Pages) Read(owner, id string, page int) (text string, pages int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.options.Now()
	p.drop(func(t *pagedText) bool { return !t.until.After(now) })
	at := slices.IndexFunc(p.texts, func(t *pagedText) bool { return t.id == id && t.owner == owner })
	if at < 0 {
		return "", 0, &NoPageError{Page: page}
	}
	kept := p.texts[at]
	pages = len(kept.starts)
	if page < 1 || page > pages {
		return "", pages, &NoPageError{Page: page, Pages: pages}
	}
	end := len(kept.text)
	if page < pages {
		end = kept.starts[page]
	}
	return kept.text[kept.starts[page-1]:end], pages, nil
}

// Forget drops the texts of an owner who has left.
func (p *Pages) Forget(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(func(t *pagedText) bool { return t.owner == owner })
}

// drop is called with mu held.
func (p *Pages) drop(goes func(*pagedText) bool) {
	p.texts = slices.DeleteFunc(p.texts, func(t *pagedText) bool {
		if goes(t) {
			p.bytes -= len(t.text)
			return true
		}
		return false
	})
}

// pageStarts divides a text into pages of at most size bytes, never inside of a character, and at the end of a line where
// there is one in a page's last quarter.
func pageStarts(text string, size int) []int {
	starts := []int{0}
	for start := 0; len(text)-start > size; {
		end := start + size
		for end > start+1 && !utf8.RuneStart(text[end]) {
			end--
		}
		for at := end; at > end-size/4; at-- {
			if text[at-1] == '\n' {
				end = at
				break
			}
		}
		starts = append(starts, end)
		start = end
	}
	return starts
}

// WholeText is the text of a result that ResponseText cuts, uncut. JSON is indented when Pages could then keep it.
func WholeText(value json.RawMessage) (string, error) {
	if trimmed := bytes.TrimSpace(value); len(trimmed) == 0 || trimmed[0] == '"' {
		text, _, err := ResponseText(value, math.MaxInt32)
		return text, err
	}
	var compact, text bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return "", fmt.Errorf("a value is no JSON: %.60q", value)
	}
	size := indentedSize(compact.Bytes())
	if size > DefaultPagesBytes/2 {
		return compact.String(), nil
	}
	text.Grow(size)
	if err := json.Indent(&text, compact.Bytes(), "", "  "); err != nil {
		return "", err
	}
	return text.String(), nil
}

// indentedSize is the length of compact JSON with two spaces a level, in bytes.
func indentedSize(compact []byte) int {
	size, depth, inString := len(compact), 0, false
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == ':':
			size++
		case c == ',':
			size += 1 + 2*depth
		case c == '[' || c == '{':
			depth++
			if next := compact[i+1]; next != ']' && next != '}' {
				size += 1 + 2*depth
			}
		case c == ']' || c == '}':
			depth--
			if before := compact[i-1]; before != '[' && before != '{' {
				size += 1 + 2*depth
			}
		}
	}
	return size
}
