package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
)

// ErrPassword means that the file does not open with an empty password, or is
// encrypted in another way than by password.
var ErrPassword = errors.New("the file needs a password")

// A lock decrypts the strings and streams of a file that opens without a
// password (section 7.6; ISO 32000-2 for AES-256): many are encrypted only to
// forbid printing.
type lock struct {
	key              []byte
	strings, streams method
}

// A method is a way of encrypting.
type method int

const (
	plainly method = iota
	byRC4
	byAES // with a key for the object
	byAES256
)

// padding takes the place of the empty password (section 7.6.3.3).
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// unlock prepares the decryption of an encrypted file.
func (f *File) unlock() error {
	d := f.dict(f.trailer["Encrypt"])
	if f.trailer["Encrypt"] == nil || f.lock != nil {
		return nil
	}
	version, revision := integer(f.resolve(d["V"])), integer(f.resolve(d["R"]))
	u, _ := f.resolve(d["U"]).(text)
	l := &lock{strings: byRC4, streams: byRC4}
	switch {
	case f.resolve(d["Filter"]) != name("Standard"):
	case version == 5 && len(u) >= 48:
		l.key = f.longKey(d, u, revision)
	case version == 1, version == 2, version == 4:
		l.key = f.shortKey(d, u, version, revision)
	}
	if l.key == nil {
		return ErrPassword
	}
	if version >= 4 {
		l.strings, l.streams = f.method(d, "StrF"), f.method(d, "StmF")
	}
	f.lock = l
	clear(f.objects) // already read, still encrypted
	clear(f.streams)
	return nil
}

// method returns the method of the crypt filter that an entry names.
func (f *File) method(d dict, entry name) method {
	filter, _ := f.resolve(d[entry]).(name)
	switch f.resolve(f.dict(f.dict(d["CF"])[filter])["CFM"]) {
	case name("V2"):
		return byRC4
	case name("AESV2"):
		return byAES
	case name("AESV3"):
		return byAES256
	}
	return plainly
}

// shortKey returns the key of a file up to revision 4, or nil if it needs a
// password (algorithms 2, 4 and 5).
func (f *File) shortKey(d dict, u text, version, revision int) []byte {
	owner, _ := f.resolve(d["O"]).(text)
	var id text
	if ids := f.array(f.trailer["ID"]); len(ids) > 0 {
		id, _ = f.resolve(ids[0]).(text)
	}
	size := 5
	if bits := integer(f.resolve(d["Length"])); version == 4 {
		size = 16
	} else if revision >= 3 && bits > 40 {
		size = min(bits/8, 16)
	}
	seed := []byte(padding + owner[:min(len(owner), 32)])
	seed = binary.LittleEndian.AppendUint32(seed, uint32(int64(number(f.resolve(d["P"])))))
	seed = append(seed, id...)
	if revision >= 4 && f.resolve(d["EncryptMetadata"]) == false {
		seed = append(seed, 0xFF, 0xFF, 0xFF, 0xFF)
	}
	sum := md5.Sum(seed)
	if revision < 3 {
		key := sum[:size]
		if string(rc4ed(key, []byte(padding))) != string(u) {
			return nil
		}
		return key
	}
	for range 50 {
		sum = md5.Sum(sum[:size])
	}
	key := sum[:size]
	check := md5.Sum([]byte(padding + string(id)))
	out := check[:]
	for i := range 20 {
		turned := bytes.Clone(key)
		for j := range turned {
			turned[j] ^= byte(i)
		}
		out = rc4ed(turned, out)
	}
	if len(u) < 16 || string(out) != string(u[:16]) {
		return nil
	}
	return key
}

// longKey returns the key of a file of revision 5 or 6, or nil if it needs a
// password (ISO 32000-2, algorithms 2.A and 2.B).
func (f *File) longKey(d dict, u text, revision int) []byte {
	hash := func(salt text) []byte {
		sum := sha256.Sum256([]byte(salt))
		if revision >= 6 {
			return hardened(sum[:])
		}
		return sum[:]
	}
	wrapped, _ := f.resolve(d["UE"]).(text)
	if string(hash(u[32:40])) != string(u[:32]) || len(wrapped) < 32 {
		return nil
	}
	return aesCBC(hash(u[40:48]), make([]byte, aes.BlockSize), []byte(wrapped[:32]))
}

// hardened repeats the hash of an empty password.
func hardened(k []byte) []byte {
	for i := 0; ; i++ {
		data := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(data, data)
		rest := 0 // the first 16 bytes modulo 3, to which their sum is congruent
		for _, b := range data[:16] {
			rest += int(b)
		}
		switch rest % 3 {
		case 0:
			sum := sha256.Sum256(data)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(data)
			k = sum[:]
		default:
			sum := sha512.Sum512(data)
			k = sum[:]
		}
		if i >= 63 && int(data[len(data)-1]) <= i-31 {
			return k[:32]
		}
	}
}

// decrypted returns the data of a string or stream of an object.
func (l *lock) decrypted(m method, of ref, data []byte) []byte {
	key := l.key
	if m == byRC4 || m == byAES {
		salted := append(bytes.Clone(key), byte(of.number), byte(of.number>>8), byte(of.number>>16), byte(of.generation), byte(of.generation>>8))
		if m == byAES {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(key)+5, 16)]
	}
	switch {
	case m == byRC4:
		return rc4ed(key, data)
	case m == plainly:
		return data
	case len(data) < 2*aes.BlockSize:
		return nil
	}
	data = data[:len(data)/aes.BlockSize*aes.BlockSize]
	out := aesCBC(key, data[:aes.BlockSize], data[aes.BlockSize:])
	if n := len(out); n > 0 && int(out[n-1]) <= min(n, aes.BlockSize) {
		return out[:n-int(out[n-1])]
	}
	return out
}

// opened returns an object of the file with its strings decrypted.
func (l *lock) opened(of ref, o object) object {
	switch o := o.(type) {
	case text:
		return text(l.decrypted(l.strings, of, []byte(o)))
	case array:
		for i := range o {
			o[i] = l.opened(of, o[i])
		}
	case dict:
		for key := range o {
			o[key] = l.opened(of, o[key])
		}
	case *stream:
		l.opened(of, o.dict)
	}
	return o
}

func rc4ed(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// aesCBC decrypts whole blocks.
func aesCBC(key, iv, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data)
	return out
}
