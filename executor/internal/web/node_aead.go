package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"slices"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

// aeadOps are the ops of node/crypto_aead.js.
func aeadOps() map[string]pureOp {
	return map[string]pureOp{"aeadSeal": aeadSeal, "aeadOpen": aeadOpen}
}

// aeadText is one text of a cipher that takes it at once: with what it is encrypted, and what is authenticated beside it.
type aeadText struct {
	key, iv, extra []byte
	// tagLength is the length of the tag in bytes, which CCM has in what it authenticates.
	tagLength int
}

// aead is a cipher. Both ways it gives the whole tag of the text, which to open is compared with the given one; that one
// may be short.
type aead struct {
	seal func(t aeadText, text []byte) (out, tag []byte, err error)
	open func(t aeadText, data, given []byte) (text, tag []byte, err error)
}

// aeads are the ciphers by the names that node/crypto_aead.js has for them.
var aeads = map[string]aead{
	"chacha20-poly1305": {chachaSeal, chachaOpen},
	"eax":               {eaxSeal, eaxOpen},
	"gcm-siv":           {gcmSIVSeal, gcmSIVOpen},
	"gcm-randnonce":     {gcmRandomSeal, gcmRandomOpen},
	"ccm":               {ccmSeal, ccmOpen},
	"ctr-hmac-sha256":   {ctrHMACSeal, ctrHMACOpen},
}

func aeadOf(args []any) (aead, aeadText, error) {
	cipher, ok := aeads[args[0].(string)]
	if !ok {
		return aead{}, aeadText{}, errors.New("Unknown cipher")
	}
	return cipher, aeadText{key: args[1].([]byte), iv: args[2].([]byte), extra: args[3].([]byte)}, nil
}

// aeadSeal takes (cipher, key, initialization vector, extra data, text, length of the tag) and returns what is encrypted
// with its tag after it.
func aeadSeal(args []any) (any, error) {
	cipher, t, err := aeadOf(args)
	if err != nil {
		return nil, err
	}
	t.tagLength = int(args[5].(float64))
	out, tag, err := cipher.seal(t, args[4].([]byte))
	if err != nil {
		return nil, err
	}
	return append(out, tag[:t.tagLength]...), nil
}

// aeadOpen takes (cipher, key, initialization vector, extra data, data, tag) and returns the text, or nil when the tag is
// not the data's.
func aeadOpen(args []any) (any, error) {
	cipher, t, err := aeadOf(args)
	if err != nil {
		return nil, err
	}
	given := args[5].([]byte)
	t.tagLength = len(given)
	text, tag, err := cipher.open(t, args[4].([]byte), given)
	if err != nil {
		return nil, err
	}
	if len(given) == 0 || len(given) > len(tag) || subtle.ConstantTimeCompare(given, tag[:len(given)]) != 1 {
		return nil, nil
	}
	return text, nil
}

// chachaSeal is ChaCha20-Poly1305 of RFC 8439, with a vector of 24 bytes XChaCha20-Poly1305.
func chachaSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	newCipher := chacha20poly1305.New
	if len(t.iv) == chacha20poly1305.NonceSizeX {
		newCipher = chacha20poly1305.NewX
	}
	c, err := newCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	sealed := c.Seal(nil, t.iv, text, t.extra)
	return sealed[:len(text):len(text)], sealed[len(text):], nil
}

// chachaOpen decrypts and seals again, since the library opens with whole tags only.
func chachaOpen(t aeadText, data, _ []byte) (text, tag []byte, err error) {
	stream, err := chacha20.NewUnauthenticatedCipher(t.key, t.iv)
	if err != nil {
		return nil, nil, err
	}
	stream.SetCounter(1) // the block before is the key of Poly1305
	text = make([]byte, len(data))
	stream.XORKeyStream(text, data)
	_, tag, err = chachaSeal(t, text)
	return text, tag, err
}

// ctrOf encrypts and decrypts alike.
func ctrOf(block cipher.Block, counter, data []byte) []byte {
	out := make([]byte, len(data))
	cipher.NewCTR(block, counter).XORKeyStream(out, data)
	return out
}

// eaxTag authenticates a vector, extra data and what was encrypted with a CMAC each, a number before each.
func eaxTag(block cipher.Block, t aeadText, data []byte) (tag, counter []byte) {
	tag = make([]byte, aes.BlockSize)
	for i, part := range [][]byte{t.iv, t.extra, data} {
		mac := cmac(block, slices.Concat(make([]byte, aes.BlockSize-1), []byte{byte(i)}, part))
		subtle.XORBytes(tag, tag, mac)
		if i == 0 {
			counter = mac
		}
	}
	return tag, counter
}

func eaxSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	block, err := aes.NewCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	_, counter := eaxTag(block, t, nil)
	out = ctrOf(block, counter, text)
	tag, _ = eaxTag(block, t, out)
	return out, tag, nil
}

func eaxOpen(t aeadText, data, _ []byte) (text, tag []byte, err error) {
	block, err := aes.NewCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	tag, counter := eaxTag(block, t, data)
	return ctrOf(block, counter, data), tag, nil
}

// cmac is NIST SP 800-38B's of a text that is not empty, over a block cipher of 16 bytes.
func cmac(block cipher.Block, text []byte) []byte {
	const size = aes.BlockSize
	key := make([]byte, size)
	block.Encrypt(key, key)
	whole := (len(text) - 1) / size * size
	last := make([]byte, size)
	n := copy(last, text[whole:])
	key = doubled(key)
	if n < size {
		last[n] = 0x80
		key = doubled(key)
	}
	subtle.XORBytes(last, last, key)
	sum := cbcMAC(block, make([]byte, size), text[:whole])
	return cbcMAC(block, sum, last)
}

// cbcMAC goes on with sum over whole blocks.
func cbcMAC(block cipher.Block, sum, text []byte) []byte {
	for ; len(text) > 0; text = text[len(sum):] {
		subtle.XORBytes(sum, sum, text[:len(sum)])
		block.Encrypt(sum, sum)
	}
	return sum
}

// doubled is a block times x in the field of CMAC.
func doubled(block []byte) []byte {
	out, carry := make([]byte, len(block)), byte(0)
	for i := len(block) - 1; i >= 0; i-- {
		out[i] = block[i]<<1 | carry
		carry = block[i] >> 7
	}
	out[len(out)-1] ^= 0x87 & -carry
	return out
}

// ccmBlocks are the cipher of a key, and CCM's first counter for a vector (RFC 3610).
func ccmBlocks(t aeadText) (block cipher.Block, counter []byte, err error) {
	block, err = aes.NewCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	if len(t.iv) < 7 || len(t.iv) > 13 {
		return nil, nil, errors.New("Invalid initialization vector")
	}
	counter = make([]byte, aes.BlockSize)
	counter[0] = byte(14 - len(t.iv))
	copy(counter[1:], t.iv)
	return block, counter, nil
}

func ccmTag(block cipher.Block, counter []byte, t aeadText, text []byte) []byte {
	first := slices.Clone(counter)
	if len(t.extra) > 0 {
		first[0] |= 1 << 6
	}
	first[0] |= byte((t.tagLength - 2) / 2 << 3)
	for i, n := aes.BlockSize-1, len(text); i > len(t.iv); i, n = i-1, n>>8 {
		first[i] = byte(n)
	}
	sum := cbcMAC(block, make([]byte, aes.BlockSize), first)
	if len(t.extra) > 0 {
		length := binary.BigEndian.AppendUint16(nil, uint16(len(t.extra)))
		if len(t.extra) >= 0xff00 {
			length = binary.BigEndian.AppendUint32([]byte{0xff, 0xfe}, uint32(len(t.extra)))
		}
		sum = cbcMAC(block, sum, zeroFilled(append(length, t.extra...)))
	}
	return ctrOf(block, counter, cbcMAC(block, sum, zeroFilled(text)))
}

// zeroFilled is data with zeros up to the end of its block.
func zeroFilled(data []byte) []byte {
	return append(slices.Clone(data), make([]byte, -len(data)&(aes.BlockSize-1))...)
}

func ccmSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	block, counter, err := ccmBlocks(t)
	if err != nil {
		return nil, nil, err
	}
	if uint64(len(text))>>(8*(15-len(t.iv))) > 0 {
		return nil, nil, errors.New("Invalid message length") // its length has so many bytes in the first block
	}
	return ccmText(block, counter, text), ccmTag(block, counter, t, text), nil
}

func ccmOpen(t aeadText, data, _ []byte) (text, tag []byte, err error) {
	block, counter, err := ccmBlocks(t)
	if err != nil || uint64(len(data))>>(8*(15-len(t.iv))) > 0 {
		return nil, nil, err
	}
	text = ccmText(block, counter, data)
	return text, ccmTag(block, counter, t, text), nil
}

// ccmText encrypts and decrypts with the counters after the first.
func ccmText(block cipher.Block, counter, data []byte) []byte {
	second := slices.Clone(counter)
	increment(second)
	return ctrOf(block, second, data)
}

// ctrHMACTag is that of BoringSSL's AES-CTR with HMAC-SHA256, whose key is one for each, one after the other.
func ctrHMACTag(t aeadText, data []byte) []byte {
	mac := hmac.New(sha256.New, t.key[len(t.key)-sha256.Size:])
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(len(t.extra))), uint64(len(data)))
	head = slices.Concat(head, t.iv, t.extra)
	mac.Write(append(head, make([]byte, -len(head)&(sha256.BlockSize-1))...))
	mac.Write(data)
	return mac.Sum(nil)
}

func ctrHMACText(t aeadText, data []byte) ([]byte, error) {
	if len(t.key) <= sha256.Size || len(t.iv) != 12 {
		return nil, errors.New("Invalid key length")
	}
	block, err := aes.NewCipher(t.key[:len(t.key)-sha256.Size])
	if err != nil {
		return nil, err
	}
	return ctrOf(block, append(slices.Clone(t.iv), 0, 0, 0, 0), data), nil
}

func ctrHMACSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	if out, err = ctrHMACText(t, text); err != nil {
		return nil, nil, err
	}
	return out, ctrHMACTag(t, out), nil
}

func ctrHMACOpen(t aeadText, data, _ []byte) (text, tag []byte, err error) {
	if text, err = ctrHMACText(t, data); err != nil {
		return nil, nil, err
	}
	return text, ctrHMACTag(t, data), nil
}

// randomNonce is the length of the vector that gcm-randnonce makes itself, and puts at the end of its tag.
const randomNonce = 12

func gcmRandomSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	t.iv = make([]byte, randomNonce)
	if _, err := rand.Read(t.iv); err != nil {
		return nil, nil, err
	}
	out, tag, err = gcmText(t, true, text)
	if err != nil {
		return nil, nil, err
	}
	return out, append(tag[:t.tagLength-randomNonce], t.iv...), nil
}

func gcmRandomOpen(t aeadText, data, given []byte) (text, tag []byte, err error) {
	if len(given) <= randomNonce {
		return nil, nil, nil
	}
	t.iv = given[len(given)-randomNonce:]
	text, tag, err = gcmText(t, false, data)
	if err != nil || len(given) > len(tag)+randomNonce {
		return nil, nil, err
	}
	return text, append(tag[:len(given)-randomNonce], t.iv...), nil
}
