package upstream

import (
	"encoding/json"
	"testing"
)

func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		`{"content":[{"type":"text","text":"{\"n\":1}"}]}`:                        `{"n":1}`,
		`{"content":[{"type":"text","text":"12345678901234567890"}]}`:             `12345678901234567890`,
		`{"content":[{"type":"text","text":"[1"},{"type":"text","text":",2]"}]}`:  "[1\n,2]",
		`{"content":[{"type":"text","text":"a <b>"},{"type":"text","text":"c"}]}`: `"a <b>\nc"`,
		`{"content":[{"type":"text","text":""}]}`:                                 `""`,
		`{"content":[],"structuredContent":{"a":1}}`:                              `{"a":1}`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":[1]}`:        `[1]`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":0}`:          `0`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`:       `"x"`,
		`{"content":[]}`: `{"content":[]}`,
		`{}`:             `{"content":[]}`,
		`{"_meta":{}}`:   `{"content":[],"_meta":{}}`,
		`{"content":[{"type":"text","text":"t"},{"type":"image","data":"AAAA","mimeType":"i"}]}`: `{"content":[{"type":"text","text":"t"},{"type":"image","data":"AAAA","mimeType":"i"}]}`,
		`{"toolResult":5,"isError":true}`: `5`,
		`{"isError":true,"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`: "Error: a\nb",
		`{"isError":true,"content":[],"structuredContent":{"a":1}}`:                                           "Error: Tool call failed",
		`{"isError":"yes"}`: "Error: Tool call failed",
		`{"isError":false,"content":[{"type":"text","text":"x"}]}`: `"x"`,
		`[1]`:  `[1]`,
		`null`: `null`,
	} {
		got, err := Unwrap(json.RawMessage(in))
		text := string(got)
		if err != nil {
			text = "Error: " + err.Error()
		}
		if text != want {
			t.Errorf("%s:\n got %s\nwant %s", in, text, want)
		}
	}
}
