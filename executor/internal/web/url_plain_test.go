//go:build cgo && (linux || darwin)

package web_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
	"github.com/codemode-go/codemode/executor/internal/web/weburl"
)

// urlPair is what is parsed, and on what; without a base it is "".
type urlPair struct{ Input, Base string }

// TestPlainURLs holds the URLs that url_plain.js takes apart against weburl, which passes the web platform tests: those of
// these tests and many that are put together at random.
func TestPlainURLs(t *testing.T) {
	var rows []json.RawMessage
	if err := json.Unmarshal(shared(t, "wpt", "urltestdata.json"), &rows); err != nil {
		t.Fatal(err)
	}
	var pairs []urlPair
	for _, row := range rows {
		var pair urlPair
		if json.Unmarshal(row, &pair) == nil && !strings.ContainsRune(pair.Input+pair.Base, '�') {
			pairs = append(pairs, pair)
		}
	}
	random := rand.New(rand.NewPCG(17, 18))
	for range 40_000 {
		pair := urlPair{Input: randomURL(random)}
		if random.IntN(2) == 0 {
			pair.Base = randomURL(random)
		}
		pairs = append(pairs, pair)
	}
	h := webtest.New(t, nil)
	comparePlain(t, h, pairs)
	if plain := len(pairs) - h.Calls("urlParse"); plain < 5000 {
		t.Errorf("%d of %d URLs are plain, so that little was compared", plain, len(pairs))
	}
}

// TestPlainURLsAreTakenApart has URLs of each kind that the script does not leave to an operation.
func TestPlainURLsAreTakenApart(t *testing.T) {
	for _, pair := range []urlPair{
		{"https://host.example.com:8443/path/file.html?q=1&x=y#part", ""},
		{"../other/file.html?q=1#part", "https://host.example.com/path/to/file.html"},
		{"/v1/things/7?q=a b", "https://api.example.com"},
		{"//cdn.example.com/x.js", "https://example.com/"},
		{"?page=2", "https://example.com/list?page=1#top"},
		{"#part", "https://example.com/list?page=1"},
		{"", "https://example.com/list?page=1#top"},
		{"wss://example.com/socket", "https://example.com/list"},
		{"https://user:p%40ss@example.com/a%20b/c d/ä€😀?q='x'&filter[a]={b|c}#ü", ""},
		{"HTTPS://Example.COM:443", ""},
		{"http://127.0.0.1:8080/a/./b/../c", ""},
		{"mailto:someone@example.com?subject=ü", ""},
		{"data:text/plain;base64,aGVsbG8=", ""},
		{"postgres://user:pa%3Ass@db.example.com:5432/name?ssl=1", ""},
	} {
		h := webtest.New(t, nil)
		comparePlain(t, h, []urlPair{pair})
		if h.Calls("urlParse") > 0 {
			t.Errorf("%q on %q is left to the operation", pair.Input, pair.Base)
		}
	}
}

// TestSearchOfPlainURLs gives URLs another query by the property and by searchParams, and holds what comes of it against
// weburl.
func TestSearchOfPlainURLs(t *testing.T) {
	type change struct{ URL, Search string }
	random := rand.New(rand.NewPCG(19, 20))
	var changes []change
	for len(changes) < 3000 {
		u := randomURL(random)
		if _, ok := weburl.Parse(u, nil); ok {
			pieces := append(urlPieces[random.IntN(len(urlPieces))], "?", "a=1", "??x", "#x", "\t", " a ", "%")
			changes = append(changes, change{u, pieces[random.IntN(len(pieces))]})
		}
	}
	text, err := json.Marshal(changes)
	if err != nil {
		t.Fatal(err)
	}
	h := webtest.New(t, nil)
	var got [][2]string
	answer := h.Eval("return " + string(text) + `.map(({URL: input, Search}) => {
		const parts = (u) => [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash].join('\n');
		const u = new URL(input), v = new URL(input);
		v.searchParams.append('ü', Search);
		u.search = Search;
		return [parts(u), parts(v)];
	})`)
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatalf("%.200s: %v", answer, err)
	}
	for i, c := range changes {
		u, _ := weburl.Parse(c.URL, nil)
		u.Set("search", c.Search)
		if want := joinedParts(u); got[i][0] != want {
			t.Errorf("%q with the query %q is\n%s\nwant\n%s", c.URL, c.Search, got[i][0], want)
		}
		v, _ := weburl.Parse(c.URL, nil)
		params := h.Eval("const p = new URL(" + strconv.Quote(v.String()) + ").searchParams; p.append('ü', " + strconv.Quote(c.Search) + "); return p.toString()")
		if err := json.Unmarshal([]byte(params), &params); err != nil {
			t.Fatal(err)
		}
		v.Set("search", params)
		if want := joinedParts(v); got[i][1] != want {
			t.Errorf("%q with %q appended is\n%s\nwant\n%s", c.URL, c.Search, got[i][1], want)
		}
	}
	if calls := h.Calls("urlSet"); calls > len(changes) {
		t.Errorf("%d calls for %d changes, so that little was compared", calls, len(changes))
	}
}

// comparePlain fails for each pair that comes to something else.
func comparePlain(t *testing.T, h *webtest.Host, pairs []urlPair) {
	t.Helper()
	const batch = 500
	for ; len(pairs) > 0; pairs = pairs[min(batch, len(pairs)):] {
		part := pairs[:min(batch, len(pairs))]
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		answer := h.Eval("return " + string(text) + `.map(({Input, Base}) => {
			let u;
			try { u = new URL(Input, Base === '' ? undefined : Base); } catch { return ''; }
			return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash].join('\n');
		})`)
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatalf("%.200s: %v", answer, err)
		}
		for i, pair := range part {
			if want := parsedParts(pair); got[i] != want {
				t.Errorf("%q on %q is\n%s\nwant\n%s", pair.Input, pair.Base, got[i], want)
			}
		}
	}
}

func parsedParts(pair urlPair) string {
	var base *weburl.URL
	if pair.Base != "" {
		var ok bool
		if base, ok = weburl.Parse(pair.Base, nil); !ok {
			return ""
		}
	}
	u, ok := weburl.Parse(pair.Input, base)
	if !ok {
		return ""
	}
	return joinedParts(u)
}

func joinedParts(u *weburl.URL) string {
	p := u.Parts()
	return strings.Join([]string{p.Href, p.Origin, p.Protocol, p.Username, p.Password, p.Host, p.Hostname, p.Port, p.Pathname, p.Search, p.Hash}, "\n")
}

// urlPieces are what URLs are put together from, a list for each place of it, the more usual ones first.
var urlPieces = [][]string{
	{"https:", "", "http:", "ws:", "foo:", "wss:", "ftp:", "HTTPS:", "mailto:", "file:", "data:", "blob:", "ht tp:", "1:", "a+b.c-d:"},
	{"//", "//", "", "/", "///", "\\\\", "/\\"},
	{"", "", "user@", "user:pass@", "u:@", ":p@", "@", "a%20b:c%zz@", "a b@", "ü@", "u@v@", "a'b:!$&()*+,@", "u;v@"},
	{
		"host", "example.com", "Example.COM", "127.0.0.1", "a-b.c_d.e", "127.1", "", "0x7f.1", "256.1.1.1", "01.2.3.4", "1.2.3", "[::1]", "[::G]", "a..b", "a.", ".a",
		"xn--fsq.com", "xn--a", "bücher.de", "a%41b", "a b", "1.2.3.a", "localhost", "a.1", "-a-", "h~st", "ex!ample", "1", "a.0xg",
	},
	{"", ":80", ":8080", ":443", ":65536", ":", ":0080", ":65535", ":123456", ":a", ":8a", ":21"},
	{
		"", "/a/b", "/", "../x", "x/y", "/a/../b", "/./a", "/a/.", "/a/..", "/..", "/../../x", "/a/%2e/b", "/a/.%2E", "/%2e%2e/", "/.a", "/a./b", "/a//b", "//a", "/a b",
		"/ä/€/😀", "/a%20b", "/a%zz", "/{x}", "/a|b^c`d", "/a\\b", "/a'b\"c<d>", "/a;b=c,d", "/C:/x", "/C|/x", "./x", "..", ".", "x:y", "/x:y", "a/../..", "/[a]@!$&()*+,", " ", "/ ",
	},
	{"", "?a=b&c=d", "?", "?a b", "?'x'", "?\"<>", "?ä=€", "?a%20b", "?{}|^`[]", "??", "?a/../b", "?\\"},
	{"", "#x", "#", "#a b", "#'\"<>`", "#ä😀", "#%20", "##", "#a?b/../c", "#{}|^[]\\"},
	{"", "", "", " ", "\t", "\n", "\x00", "\x7f", "\x01"},
}

func randomURL(random *rand.Rand) string {
	var b strings.Builder
	if random.IntN(30) == 0 {
		b.WriteString([]string{" ", "\t", "\x00", "\x1f"}[random.IntN(4)])
	}
	for _, place := range urlPieces {
		b.WriteString(place[random.IntN(1+random.IntN(1+random.IntN(len(place))))])
	}
	return b.String()
}
