package capnweb

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// lastOf is what a peer hears at the end.
func lastOf(peer *rawPeer) string {
	for {
		if got := peer.next(); strings.HasPrefix(got, "CLOSE") || strings.HasPrefix(got, "FAILED") {
			return got
		}
	}
}

// times is a text again and again, as the members of a list.
func times(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

// allocated is how many bytes f takes from the heap.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A few bytes name a value that there is already, and the copy of a copy is larger still. The session ends before they are made.
func TestCopiesCountBeforeTheyAreMade(t *testing.T) {
	for name, again := range map[string]string{"values": `["pipeline",%d]`, "properties": `["pipeline",%d,[]]`} {
		t.Run(name, func(t *testing.T) {
			leftover(t)
			url, sessions := serve(t, Limits{Held: 8 << 20}, traceMain)
			peer := dialRaw(t, url)
			got := ""
			took := allocated(func() {
				peer.send(`["push",[[` + times(1000, `["undefined"]`) + `]]]`)
				for id, copies := range []int{100, 1000} {
					peer.send(`["push",[[` + times(copies, fmt.Sprintf(again, id+1)) + `]]]`)
				}
				got = lastOf(peer)
				(<-sessions).Wait()
			})
			if got != "CLOSE 3000 calls hold more than 8388608 bytes" {
				t.Errorf("%s", got)
			}
			if took > 100<<20 { // a thousand times a hundred times a thousand would be a gigabyte and more
				t.Errorf("%d MiB were taken", took>>20)
			}
		})
	}
}

// What is plain JSON stays text, however many values are in it.
func TestPlainJSONTakesItsOwnSize(t *testing.T) {
	text := []byte(`["push",{"list":[[` + times(1_000_000, "0") + `]]}]`)
	var err error
	took := allocated(func() { _, err = parseMessage(text) })
	if err != nil || took > 4*uint64(len(text)) {
		t.Errorf("a message of %d bytes took %d, %v", len(text), took, err)
	}
}

func TestValuesThatAreListedOneByOneAreBounded(t *testing.T) {
	most := times(mostListed, "0")
	for name, message := range map[string]string{
		"a list":      `["push",[[["undefined"],` + most + `]]]`,
		"its end":     `["push",[[` + most + `,["undefined"]]]]`,
		"an object":   `["push",{"u":["undefined"],` + times(mostListed, `"k":0`) + `}]`,
		"arguments":   `["push",["pipeline",0,["echo"],[` + most + `,0]]]`,
		"a path":      `["push",["pipeline",0,[` + most + `,0]]]`,
		"captures":    `["push",["remap",0,[],[` + times(mostListed+1, `["export",-1]`) + `],[[]]]]`,
		"many lists":  `["push",[[` + times(mostListed/2, `[[["undefined"]]]`) + `,["undefined"]]]]`,
		"an argument": `["push",["pipeline",0,["echo"],[[[["undefined"],` + most + `]]]]]`,
	} {
		_, err := parseMessage([]byte(message))
		if !isLimit(err) || err.Error() != "a message has more than 65536 values that are listed one by one" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parseMessage([]byte(`["push",[[["undefined"],[[` + most + `]]]]]`)); err != nil {
		t.Errorf("a plain list beside a special value: %v", err)
	}
}

// What the peer's promises come to counts for the call that waits for them.
func TestPromisesOfThePeerCountForTheirCall(t *testing.T) {
	leftover(t)
	url, _ := serve(t, Limits{Held: 1 << 20}, traceMain)
	peer := dialRaw(t, url)
	long := `"` + strings.Repeat("x", 400_000) + `"`
	for id := 1; id <= 5; id++ { // one after the other there is room
		peer.send(fmt.Sprintf(`["push",["pipeline",0,["fail"],[["promise",%d]]]]`, -id), fmt.Sprintf(`["resolve",%d,%s]`, -id, long), fmt.Sprintf(`["pull",%d]`, id))
		peer.expect(fmt.Sprintf(`["release",%d,1]`, -id),
			fmt.Sprintf(`["reject",%d,["error","ToolError","tool blew up",null,{"code":"E_TOOL","details":{"retry":false}}]]`, id))
		peer.send(fmt.Sprintf(`["release",%d,1]`, id))
	}
	peer.send(`["push",["pipeline",0,["never"],[["promise",-11],["promise",-12],["promise",-13]]]]`)
	for id := 13; id >= 11; id-- {
		peer.send(fmt.Sprintf(`["resolve",%d,%s]`, -id, long))
	}
	if got := lastOf(peer); got != "CLOSE 3000 calls hold more than 1048576 bytes" {
		t.Errorf("%s", got)
	}
}

func TestPropertiesOfJSON(t *testing.T) {
	text := json.RawMessage(`{"a":[1,{"b":2},[]],"b":1,"b":"last","":null}`)
	for _, c := range []struct {
		path []any
		want any
	}{
		{[]any{"a", 0}, json.RawMessage(`1`)}, {[]any{"a", 1, "b"}, json.RawMessage(`2`)}, {[]any{"a", "2"}, json.RawMessage(`[]`)},
		{[]any{"a", 3}, Undefined{}}, {[]any{"a", -1}, Undefined{}}, {[]any{"a", "x"}, Undefined{}}, {[]any{"a", 2, 0}, Undefined{}},
		{[]any{"b"}, json.RawMessage(`"last"`)}, {[]any{""}, json.RawMessage(`null`)}, {[]any{"c"}, Undefined{}}, {[]any{"b", 0}, Undefined{}},
	} {
		got, _, err := follow(text, c.path)
		if err != nil || fmt.Sprintf("%s", got) != fmt.Sprintf("%s", c.want) {
			t.Errorf("%v is %s, %v", c.path, got, err)
		}
	}
	if _, _, err := follow(text, []any{"", "x"}); err == nil || err.Error() != "Cannot read properties of null (reading 'x')" {
		t.Errorf("of null: %v", err)
	}
	long := json.RawMessage(`[` + times(100_000, "0") + `]`)
	if took := allocated(func() { _, _, _ = follow(long, []any{99_999}) }); took > 100_000 {
		t.Errorf("one member of many took %d bytes", took)
	}
}
