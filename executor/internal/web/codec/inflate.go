package codec

import "encoding/binary"

const (
	// windowSize is how far back a match may lie.
	windowSize = 32 << 10
	longest    = 258
	// outputEnd is where a piece ends in the buffer; a match may go beyond it.
	outputEnd = windowSize + Piece - longest
)

// stage is what an inflater reads next.
type stage int

const (
	eitherHead stage = iota
	gzipHead
	zlibHead
	blockHead
	storedLength
	storedBytes
	dynamicHead
	dynamicCodes
	dynamicLengths
	symbols
	trailer
	betweenMembers
	finished
)

// inflater is a decoder of RFC 1951 and of the containers around it, RFC 1950 and 1952, that can stop wherever its input
// does. It stops before what it cannot read in whole and keeps the bits that it has: never more than accumulator holds.
type inflater struct {
	pool       *Pool
	rest       Rest
	stage      stage
	box        container
	dictionary []byte

	in    []byte
	ended bool
	bits  uint64
	nbits uint

	// out is the window and what has been decoded after it: position is where the next byte goes, given where the next
	// piece begins, and floor where the member's own output began, before which no match may lie.
	out                    []byte
	position, given, floor int

	last   bool // the block is the last one
	stored int  // how many bytes of a stored block are left

	// The block's codes, and what their description has come to so far.
	literals, distances *huffman
	own                 *[3]huffman // literals, distances, and lengths of codes
	counts              struct{ literals, distances, codes int }
	lengths             [320]uint8
	described           int
}

// begin makes it new; what is large it keeps.
func (z *inflater) begin(p *Pool, first stage, rest Rest, dictionary []byte) {
	*z = inflater{
		pool: p, rest: rest, stage: first, box: container{format: first}, dictionary: dictionary,
		out: z.out, position: windowSize, given: windowSize, floor: windowSize, own: z.own,
	}
	if z.out == nil {
		z.out = make([]byte, windowSize+Piece)
	}
	if z.own == nil {
		z.own = new([3]huffman)
	}
	if first == blockHead {
		z.useDictionary()
	}
}

func (z *inflater) Write(input []byte) { z.in = input }
func (z *inflater) Flush()             {}
func (z *inflater) End()               { z.ended = true }
func (z *inflater) Close() {
	if z.pool != nil && len(z.pool.inflaters) < mostKept {
		kept := *z
		z.pool.inflaters = append(z.pool.inflaters, &kept)
	}
	*z = inflater{stage: finished}
}

func (z *inflater) Weight() int64 { return windowSize + Piece + 16<<10 }

func (z *inflater) Next() ([]byte, State, error) {
	if z.position >= outputEnd {
		kept := copy(z.out, z.out[z.position-windowSize:z.position])
		z.floor = max(0, z.floor-(z.position-kept))
		z.position, z.given = kept, kept
	}
	for {
		progressed, err := z.step()
		if err != nil {
			return nil, Done, err
		}
		full := z.position >= outputEnd
		if progressed && !full {
			continue
		}
		if piece := z.out[z.given:z.position]; len(piece) > 0 {
			z.box.note(piece)
			z.given = z.position
			return piece, More, nil
		}
		switch {
		case z.stage == finished:
			if z.rest == Strict && z.unread() > 0 {
				return nil, Done, ErrTrailing
			}
			return nil, Done, nil
		case !z.ended:
			return nil, Hungry, nil
		case z.stage == betweenMembers:
			return nil, Done, nil
		}
		return nil, Done, ErrTruncated
	}
}

// useDictionary lets matches lie in the dictionary.
func (z *inflater) useDictionary() {
	known := z.dictionary[max(0, len(z.dictionary)-windowSize):]
	z.floor = z.position - copy(z.out[z.position-len(known):z.position], known)
}

// unread is how many whole bytes of input are left.
func (z *inflater) unread() int { return len(z.in) + int(z.nbits/8) }

// need reports whether n bits are there, of at most 56.
func (z *inflater) need(n uint) bool {
	for z.nbits < n {
		if len(z.in) == 0 {
			return false
		}
		z.bits |= uint64(z.in[0]) << z.nbits
		z.in = z.in[1:]
		z.nbits += 8
	}
	return true
}

func (z *inflater) take(n uint) uint64 {
	bits := z.bits & (1<<n - 1)
	z.bits >>= n
	z.nbits -= n
	return bits
}

// step goes as far as one stage does, and reports whether another call may go further.
func (z *inflater) step() (progressed bool, err error) {
	switch z.stage {
	case eitherHead, gzipHead, zlibHead:
		return z.head()
	case blockHead:
		return z.block()
	case storedLength:
		return z.beginStored()
	case storedBytes:
		return z.copyStored(), nil
	case dynamicHead, dynamicCodes, dynamicLengths:
		return z.describe()
	case symbols:
		return z.inflate()
	case trailer:
		return z.trail()
	case betweenMembers:
		return z.another(), nil
	}
	return false, nil
}

func (z *inflater) block() (bool, error) {
	if z.last {
		z.take(z.nbits % 8)
		z.stage = trailer
		return true, nil
	}
	if !z.need(3) {
		return false, nil
	}
	z.last = z.take(1) == 1
	switch z.take(2) {
	case 0:
		z.take(z.nbits % 8)
		z.stage = storedLength
	case 1:
		z.literals, z.distances = &fixed.literals, &fixed.distances
		z.stage = symbols
	case 2:
		z.stage = dynamicHead
	default:
		return false, DataError("invalid block type")
	}
	return true, nil
}

func (z *inflater) beginStored() (bool, error) {
	if !z.need(32) {
		return false, nil
	}
	length := z.take(16)
	if z.take(16) != length^0xffff {
		return false, DataError("invalid stored block lengths")
	}
	z.stored, z.stage = int(length), storedBytes
	return true, nil
}

func (z *inflater) copyStored() bool {
	for z.stored > 0 && z.nbits > 0 {
		z.out[z.position] = byte(z.take(8))
		z.position++
		z.stored--
	}
	n := copy(z.out[z.position:max(z.position, min(outputEnd, z.position+z.stored))], z.in)
	z.in = z.in[n:]
	z.position += n
	z.stored -= n
	if z.stored == 0 {
		z.stage = blockHead
	}
	return z.stored == 0
}

// The lengths of matches and their distances: the base that a symbol stands for, and how many bits are added to it.
var (
	lengthBase    = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra   = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase  = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceExtra = [30]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

const endOfBlock = 256

// inflate decodes symbols until the output is full, the input ends or the block does. A length and its distance have at
// most 48 bits together, which the accumulator holds; where they are not there in whole, none of them is taken.
func (z *inflater) inflate() (progressed bool, err error) {
	in, bits, nbits, position := z.in, z.bits, z.nbits, z.position
	out, literals, distances := z.out, z.literals, z.distances
	defer func() { z.in, z.bits, z.nbits, z.position = in, bits, nbits, position }()
	for position < outputEnd {
		switch {
		case nbits >= 48:
		case len(in) >= 8:
			bits |= binary.LittleEndian.Uint64(in) << nbits
			taken := (63 - nbits) >> 3
			in = in[taken:]
			nbits += taken << 3
			bits &= 1<<nbits - 1
		default:
			for nbits <= 56 && len(in) > 0 {
				bits |= uint64(in[0]) << nbits
				in = in[1:]
				nbits += 8
			}
		}
		entry := literals.fast[bits&(1<<fastBits-1)]
		symbol, used := uint(entry>>4), uint(entry&15)
		if entry == 0 {
			symbol, used = literals.slow(bits, nbits)
			if used > maxCodeBits {
				return false, DataError("invalid literal/length code")
			}
		}
		if used == 0 || used > nbits {
			return false, nil
		}
		if symbol < endOfBlock {
			bits >>= used
			nbits -= used
			out[position] = byte(symbol)
			position++
			continue
		}
		if symbol == endOfBlock {
			bits >>= used
			nbits -= used
			z.stage = blockHead
			return true, nil
		}
		symbol -= endOfBlock + 1
		if symbol >= uint(len(lengthBase)) {
			return false, DataError("invalid literal/length code")
		}
		extra := uint(lengthExtra[symbol])
		length := int(lengthBase[symbol]) + int(bits>>used&(1<<extra-1))
		used += extra
		if used > nbits {
			return false, nil
		}
		entry = distances.fast[bits>>used&(1<<fastBits-1)]
		symbol, extra = uint(entry>>4), uint(entry&15)
		if entry == 0 {
			symbol, extra = distances.slow(bits>>used, nbits-used)
			if extra > maxCodeBits {
				return false, DataError("invalid distance code")
			}
			if extra == 0 {
				return false, nil
			}
		}
		used += extra
		if used > nbits {
			return false, nil
		}
		if symbol >= uint(len(distanceBase)) {
			return false, DataError("invalid distance code")
		}
		extra = uint(distanceExtra[symbol])
		distance := int(distanceBase[symbol]) + int(bits>>used&(1<<extra-1))
		used += extra
		if used > nbits {
			return false, nil
		}
		if distance > position-z.floor {
			return false, DataError("invalid distance too far back")
		}
		bits >>= used
		nbits -= used
		if distance >= length {
			copy(out[position:position+length], out[position-distance:])
			position += length
			continue
		}
		for end := position + length; position < end; position++ {
			out[position] = out[position-distance]
		}
	}
	return false, nil
}
