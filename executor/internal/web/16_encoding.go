package web

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// encodingOps are the ops of 16_encoding.js.
func encodingOps() map[string]pureOp {
	return map[string]pureOp{
		"utf8Encode": func(args []any) (any, error) { return []byte(args[0].(string)), nil },
		"encodingName": func(args []any) (any, error) {
			if name := encodingName(args[0].(string)); name != "" {
				return name, nil
			}
			return nil, nil
		},
		"decodeText": func(args []any) (any, error) {
			text, _, ok := decodeText(args[0].(string), args[1].([]byte), args[2] == true, true)
			if !ok {
				return nil, nil
			}
			return text, nil
		},
		"decodePartial": func(args []any) (any, error) {
			text, consumed, ok := decodeText(args[0].(string), args[1].([]byte), args[2] == true, false)
			if !ok {
				return nil, nil
			}
			return strconv.Itoa(consumed) + ":" + text, nil
		},
	}
}

// encodingName returns the lower-case name of the encoding a label stands for, or "". The
// "replacement" encoding is not for decoding, so its labels stand for nothing.
func encodingName(label string) string {
	label = strings.ToLower(strings.Trim(label, "\t\n\f\r "))
	if label == "unicode-1-1-utf-8" || label == "unicode11utf8" || label == "unicode20utf8" || label == "x-unicode20utf8" {
		return "utf-8"
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "replacement" {
		return ""
	}
	return name
}

// decodeText decodes bytes; with final false it leaves an incomplete character at the end and says how
// much it consumed. ok is false when fatal is set and there is an error in the input.
func decodeText(name string, bytes []byte, fatal, final bool) (text string, consumed int, ok bool) {
	switch name {
	case "utf-8":
		return decodeUTF8(bytes, fatal, final)
	case "utf-16le":
		return decodeUTF16(bytes, 0, fatal, final)
	case "utf-16be":
		return decodeUTF16(bytes, 1, fatal, final)
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return "", 0, false
	}
	text, consumed = decodeLegacy(e, bytes, final)
	return text, consumed, !fatal || !strings.ContainsRune(text, utf8.RuneError)
}

func decodeLegacy(e encoding.Encoding, bytes []byte, final bool) (string, int) {
	decoder := e.NewDecoder()
	var out strings.Builder
	buffer := make([]byte, 4096)
	consumed := 0
	for {
		written, read, err := decoder.Transform(buffer, bytes[consumed:], final)
		out.Write(buffer[:written])
		consumed += read
		if err != transform.ErrShortDst {
			return out.String(), consumed
		}
	}
}

// decodeUTF8 replaces each maximal part of an ill-formed sequence by one U+FFFD, as the standard does.
func decodeUTF8(bytes []byte, fatal, final bool) (string, int, bool) {
	end := len(bytes)
	if !final {
		end -= incompleteUTF8(bytes)
	}
	bytes = bytes[:end]
	if utf8.Valid(bytes) {
		return string(bytes), end, true
	}
	if fatal {
		return "", 0, false
	}
	var out strings.Builder
	for len(bytes) > 0 {
		r, size := utf8.DecodeRune(bytes)
		if r == utf8.RuneError && size == 1 {
			size = illFormedLength(bytes)
		}
		out.WriteRune(r)
		bytes = bytes[size:]
	}
	return out.String(), end, true
}

// sequence returns the length that a lead byte announces and the bounds of its second byte; 0 for a
// byte that leads nothing.
func sequence(lead byte) (length int, low, high byte) {
	switch {
	case lead >= 0xc2 && lead <= 0xdf:
		return 2, 0x80, 0xbf
	case lead == 0xe0:
		return 3, 0xa0, 0xbf
	case lead == 0xed:
		return 3, 0x80, 0x9f
	case lead >= 0xe1 && lead <= 0xef:
		return 3, 0x80, 0xbf
	case lead == 0xf0:
		return 4, 0x90, 0xbf
	case lead >= 0xf1 && lead <= 0xf3:
		return 4, 0x80, 0xbf
	case lead == 0xf4:
		return 4, 0x80, 0x8f
	}
	return 0, 0, 0
}

// illFormedLength is the length of the longest start of bytes that could begin a character, at least 1.
func illFormedLength(bytes []byte) int {
	length, low, high := sequence(bytes[0])
	n := 1
	for n < length && n < len(bytes) && bytes[n] >= low && bytes[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// incompleteUTF8 is how many bytes at the end begin a character that is not all there.
func incompleteUTF8(bytes []byte) int {
	for back := 1; back <= 3 && back <= len(bytes); back++ {
		tail := bytes[len(bytes)-back:]
		if length, _, _ := sequence(tail[0]); length > back && illFormedLength(tail) == back {
			return back
		}
	}
	return 0
}

// decodeUTF16 decodes UTF-16; bigEndian is 1 when the high byte comes first, else 0.
func decodeUTF16(bytes []byte, bigEndian int, fatal, final bool) (string, int, bool) {
	unit := func(i int) rune { return rune(bytes[i+1-bigEndian])<<8 | rune(bytes[i+bigEndian]) }
	var out strings.Builder
	i := 0
	for i+1 < len(bytes) {
		r := unit(i)
		switch {
		case r >= 0xd800 && r < 0xdc00 && i+3 < len(bytes):
			if low := unit(i + 2); low >= 0xdc00 && low < 0xe000 {
				out.WriteRune((r-0xd800)<<10 + (low - 0xdc00) + 0x10000)
				i += 4
				continue
			}
			r = utf8.RuneError
		case r >= 0xd800 && r < 0xdc00 && !final:
			return out.String(), i, true
		case r >= 0xd800 && r < 0xe000:
			r = utf8.RuneError
		default:
			out.WriteRune(r)
			i += 2
			continue
		}
		if fatal {
			return "", 0, false
		}
		out.WriteRune(r)
		i += 2
	}
	if i < len(bytes) && final {
		if fatal {
			return "", 0, false
		}
		out.WriteRune(utf8.RuneError)
		i = len(bytes)
	}
	return out.String(), i, true
}
