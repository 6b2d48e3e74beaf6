package codec

// fixed are the codes of blocks that describe none.
var fixed = func() (codes struct{ literals, distances huffman }) {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	codes.literals.build(lengths[:], true)
	for i := range 32 {
		lengths[i] = 5
	}
	codes.distances.build(lengths[:32], true)
	return codes
}()

// codeOrder is the order in which the lengths of the code of code lengths are written.
var codeOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// describe reads the description of a block's codes: how many lengths, the code that the lengths are written in, and they.
func (z *inflater) describe() (bool, error) {
	switch z.stage {
	case dynamicHead:
		if !z.need(14) {
			return false, nil
		}
		z.counts.literals, z.counts.distances, z.counts.codes = int(z.take(5))+257, int(z.take(5))+1, int(z.take(4))+4
		if z.counts.literals > 286 || z.counts.distances > 30 {
			return false, DataError("too many length or distance symbols")
		}
		clear(z.lengths[:])
		z.described, z.stage = 0, dynamicCodes
	case dynamicCodes:
		for ; z.described < z.counts.codes; z.described++ {
			if !z.need(3) {
				return false, nil
			}
			z.lengths[codeOrder[z.described]] = uint8(z.take(3))
		}
		if !z.own[2].build(z.lengths[:19], true) {
			return false, DataError("invalid code lengths set")
		}
		clear(z.lengths[:])
		z.described, z.stage = 0, dynamicLengths
	default:
		for z.described < z.counts.literals+z.counts.distances {
			if progressed, err := z.oneLength(); err != nil || !progressed {
				return false, err
			}
		}
		return true, z.useCodes()
	}
	return true, nil
}

// oneLength reads a length, or a repetition of lengths.
func (z *inflater) oneLength() (bool, error) {
	z.need(14) // as many as there are, if not all
	entry := z.own[2].fast[z.bits&(1<<fastBits-1)]
	symbol, used := int(entry>>4), uint(entry&15)
	if entry == 0 {
		if z.nbits < 7 {
			return false, nil
		}
		return false, DataError("invalid code lengths set")
	}
	if used > z.nbits {
		return false, nil
	}
	if symbol < 16 {
		z.take(used)
		z.lengths[z.described] = uint8(symbol)
		z.described++
		return true, nil
	}
	repeats := [3]struct {
		extra uint
		base  int
	}{{2, 3}, {3, 3}, {7, 11}}[symbol-16]
	if used+repeats.extra > z.nbits {
		return false, nil
	}
	z.take(used)
	count := repeats.base + int(z.take(repeats.extra))
	var length uint8
	if symbol == 16 {
		if z.described == 0 {
			return false, DataError("invalid bit length repeat")
		}
		length = z.lengths[z.described-1]
	}
	if z.described+count > z.counts.literals+z.counts.distances {
		return false, DataError("invalid bit length repeat")
	}
	for range count {
		z.lengths[z.described] = length
		z.described++
	}
	return true, nil
}

func (z *inflater) useCodes() error {
	literals := z.lengths[:z.counts.literals]
	switch {
	case literals[endOfBlock] == 0:
		return DataError("invalid code -- missing end-of-block")
	case !z.own[0].build(literals, false):
		return DataError("invalid literal/lengths set")
	case !z.own[1].build(z.lengths[z.counts.literals:z.counts.literals+z.counts.distances], false):
		return DataError("invalid distances set")
	}
	z.literals, z.distances, z.stage = &z.own[0], &z.own[1], symbols
	return nil
}
