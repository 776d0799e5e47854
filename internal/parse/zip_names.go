package parse

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode/utf8"
)

// utf8Flag marks names that are UTF-8.
const utf8Flag = 0x800

// zipNames returns the names of the files of an archive in UTF-8: as the archive states them,
// or else read in the encoding that a person chose or that all of them together suggest.
func zipNames(files []*zip.File, chosen *Encoding) []string {
	names := make([]string, len(files))
	var unread []string
	for i, f := range files {
		name, stated := unicodePath(f)
		switch {
		case f.Flags&utf8Flag != 0 && utf8.ValidString(f.Name), !f.NonUTF8 && !stated:
			names[i] = f.Name
		case chosen == nil && stated:
			names[i] = name
		case chosen == nil && utf8.ValidString(f.Name):
			names[i] = f.Name
		default:
			unread = append(unread, f.Name)
		}
	}
	in := chosen
	if in == nil && len(unread) > 0 {
		all := strings.Join(unread, "\n")
		in = compare([]byte(all[:min(len(all), maxSample)]), nameEncodings()).of
	}
	for i, f := range files {
		if names[i] == "" && in != nil {
			names[i] = in.decode([]byte(f.Name))
		}
	}
	return names
}

// nameEncodings are the encodings of names that do not state one, of old programs for DOS and
// Windows above all.
func nameEncodings() []*Encoding {
	tells := map[string]int{
		"ibm437": 0, "ibm850": 1, "ibm852": 2, "ibm866": 0, "shift_jis": 0, "gb18030": 0, "euc-kr": 0, "big5": 0,
		"windows-1252": 4, "windows-1251": 3, "windows-1250": 5, "koi8-r": 6, "macintosh": 6, "windows-1253": 5, "windows-1255": 5, "windows-1256": 5, "windows-874": 5,
	}
	var list []*Encoding
	for _, e := range encodings() {
		if n, ok := tells[e.Name]; ok {
			named := *e
			named.tells = n
			list = append(list, &named)
		}
	}
	return list
}

// unicodePath returns the name of an entry from its field of Info-ZIP, which counts if it was
// written for the name beside it.
func unicodePath(f *zip.File) (string, bool) {
	for extra := f.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			break
		}
		if field := extra[:size]; id == 0x7075 && size > 5 && field[0] == 1 && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) && utf8.Valid(field[5:]) {
			return string(field[5:]), true
		}
		extra = extra[size:]
	}
	return "", false
}
