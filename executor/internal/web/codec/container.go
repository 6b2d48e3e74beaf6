package codec

import (
	"hash"
	"hash/adler32"
	"hash/crc32"
)

// container is what stands around the blocks of deflate: a header, and a checksum of the output.
type container struct {
	format stage // blockHead for none
	sum    hash.Hash32
	length uint32
	summed bool // the checksum was read and is right
	field  gzipField
	flags  uint64
	skip   int
	header hash.Hash32
}

// gzipField is the part of a gzip header that is read next.
type gzipField int

const (
	gzipFixed gzipField = iota
	gzipTime
	gzipExtraLength
	gzipExtra
	gzipName
	gzipComment
	gzipChecksum
	gzipEnd
)

// The flags of a gzip header.
const (
	flagHeaderChecksum = 2 << iota
	flagExtra
	flagName
	flagComment
	flagsReserved = 0xe0
)

// note counts a piece of output in.
func (c *container) note(piece []byte) {
	if c.sum != nil {
		c.sum.Write(piece)
		c.length += uint32(len(piece))
	}
}

// head reads the header of a container, as far as the input goes.
func (z *inflater) head() (bool, error) {
	switch z.stage {
	case eitherHead:
		if !z.need(8) || z.bits&0xff == 0x1f && !z.need(16) {
			return false, nil
		}
		if z.stage = zlibHead; z.bits&0xffff == 0x8b1f {
			z.stage = gzipHead
		}
		z.box.format = z.stage
		return true, nil
	case zlibHead:
		return z.zlibHead()
	}
	for z.box.field != gzipEnd {
		if progressed, err := z.gzipField(); err != nil || !progressed {
			return false, err
		}
	}
	z.box.sum = crc32.NewIEEE()
	z.stage = blockHead
	return true, nil
}

func (z *inflater) zlibHead() (bool, error) {
	if !z.need(16) {
		return false, nil
	}
	method, flags := z.bits&0xff, z.bits>>8&0xff
	hasDictionary := flags&0x20 != 0
	switch {
	case (method<<8|flags)%31 != 0:
		return false, DataError("incorrect header check")
	case method&15 != 8:
		return false, DataError("unknown compression method")
	case method>>4 > 7:
		return false, DataError("invalid window size")
	case hasDictionary && !z.need(48):
		return false, nil
	}
	z.take(16)
	if hasDictionary {
		switch sum := z.bigEndian(); {
		case z.dictionary == nil:
			return false, DataError("Missing dictionary")
		case sum != adler32.Checksum(z.dictionary):
			return false, DataError("Bad dictionary")
		}
		z.useDictionary()
	}
	z.box.sum = adler32.New()
	z.stage = blockHead
	return true, nil
}

// bigEndian takes four bytes.
func (z *inflater) bigEndian() (n uint32) {
	for range 4 {
		n = n<<8 | uint32(z.take(8))
	}
	return n
}

// headerByte takes a byte of a gzip header and counts it in.
func (z *inflater) headerByte() byte {
	b := byte(z.take(8))
	z.box.header.Write([]byte{b})
	return b
}

func (z *inflater) gzipField() (bool, error) {
	c := &z.box
	switch c.field {
	case gzipFixed:
		if z.need(16) && z.bits&0xffff != 0x8b1f {
			return false, DataError("incorrect header check")
		}
		if !z.need(32) {
			return false, nil
		}
		c.header = crc32.NewIEEE()
		z.headerByte()
		z.headerByte()
		method := z.headerByte()
		if c.flags = uint64(z.headerByte()); method != 8 {
			return false, DataError("unknown compression method")
		}
		if c.flags&flagsReserved != 0 {
			return false, DataError("unknown header flags set")
		}
		c.skip = 6 // the time, the level and the operating system
		c.field = gzipTime
	case gzipTime, gzipExtra:
		for ; c.skip > 0; c.skip-- {
			if !z.need(8) {
				return false, nil
			}
			z.headerByte()
		}
		if c.field == gzipExtra {
			c.field = gzipName
		} else {
			c.field = gzipExtraLength
		}
	case gzipExtraLength:
		c.field = gzipName
		if c.flags&flagExtra != 0 {
			if !z.need(16) {
				c.field = gzipExtraLength
				return false, nil
			}
			low := int(z.headerByte())
			c.skip = low | int(z.headerByte())<<8
			c.field = gzipExtra
		}
	case gzipName, gzipComment:
		flag := uint64(flagName)
		if c.field == gzipComment {
			flag = flagComment
		}
		for c.flags&flag != 0 {
			if !z.need(8) {
				return false, nil
			}
			if z.headerByte() == 0 {
				break
			}
		}
		c.field++
	case gzipChecksum:
		if c.flags&flagHeaderChecksum != 0 {
			if !z.need(16) {
				return false, nil
			}
			if uint32(z.take(16)) != c.header.Sum32()&0xffff {
				return false, DataError("header crc mismatch")
			}
		}
		c.field = gzipEnd
	}
	return true, nil
}

// trail checks what follows the blocks, once everything before it was given and counted.
func (z *inflater) trail() (bool, error) {
	if z.given < z.position {
		return false, nil
	}
	c := &z.box
	switch c.format {
	case zlibHead:
		if !z.need(32) {
			return false, nil
		}
		if z.bigEndian() != c.sum.Sum32() {
			return false, DataError("incorrect data check")
		}
	case gzipHead:
		if !c.summed {
			if !z.need(32) {
				return false, nil
			}
			if uint32(z.take(32)) != c.sum.Sum32() {
				return false, DataError("incorrect data check")
			}
			c.summed = true
		}
		if !z.need(32) {
			return false, nil
		}
		if uint32(z.take(32)) != c.length {
			return false, DataError("incorrect length check")
		}
		if z.rest == Ignore {
			z.stage = betweenMembers
			return true, nil
		}
	}
	z.stage = finished
	return true, nil
}

// another begins the next gzip member, if what follows is not zero.
func (z *inflater) another() bool {
	if !z.need(8) {
		return false
	}
	if z.stage = finished; z.bits&0xff != 0 {
		z.box = container{format: gzipHead}
		z.last, z.floor, z.stage = false, z.position, gzipHead
	}
	return true
}
