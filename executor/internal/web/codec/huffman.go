package codec

// fastBits is how many bits of a code one look into a table decodes; longer codes are rare.
const fastBits = 10

const maxCodeBits = 15

// huffman is a canonical Huffman code.
type huffman struct {
	// fast has symbol<<4 | length by the next bits of input, and zero where the code is longer or there is none.
	fast [1 << fastBits]uint16
	// count has the number of codes of each length, symbols the symbols in the order of their codes.
	count   [maxCodeBits + 1]uint16
	symbols [288]uint16
}

// build makes the code from the lengths of its symbols. It reports whether they are a code: one that wastes nothing, or a
// single one of one bit, which needsAll forbids. Without any symbol it is a code that decodes nothing.
func (h *huffman) build(lengths []uint8, needsAll bool) bool {
	clear(h.fast[:])
	clear(h.count[:])
	for _, length := range lengths {
		h.count[length]++
	}
	used := len(lengths) - int(h.count[0])
	h.count[0] = 0
	if used == 0 {
		return true
	}
	left, longest := 1, 0
	var next, first [maxCodeBits + 2]uint16
	for length := 1; length <= maxCodeBits; length++ {
		left = left<<1 - int(h.count[length])
		if left < 0 {
			return false
		}
		if h.count[length] > 0 {
			longest = length
		}
		next[length+1] = next[length] + h.count[length]
		first[length+1] = (first[length] + h.count[length]) << 1
	}
	if left > 0 && (needsAll || longest != 1) {
		return false
	}
	for symbol, length := range lengths {
		if length == 0 {
			continue
		}
		h.symbols[next[length]] = uint16(symbol)
		next[length]++
		code := first[length]
		first[length]++
		if length > fastBits {
			continue
		}
		for at := int(reversed[code<<(16-length)>>8]) | int(reversed[code<<(16-length)&0xff])<<8; at < len(h.fast); at += 1 << length {
			h.fast[at] = uint16(symbol)<<4 | uint16(length)
		}
	}
	return true
}

// slow decodes a code of more than fastBits bits: length is 0 when available bits do not suffice, and more than
// maxCodeBits when no code begins so.
func (h *huffman) slow(bits uint64, available uint) (symbol, length uint) {
	code, first, index := 0, 0, 0
	for length = 1; length <= maxCodeBits; length++ {
		if length > available {
			return 0, 0
		}
		code |= int(bits & 1)
		bits >>= 1
		count := int(h.count[length])
		if code-count < first {
			return uint(h.symbols[index+code-first]), length
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, maxCodeBits + 1
}

// reversed has the bits of a byte in the other order.
var reversed = func() (table [256]uint8) {
	for i := range table {
		for bit := range 8 {
			table[i] |= uint8(i) >> bit & 1 << (7 - bit)
		}
	}
	return table
}()
