package picture

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// Facts are the facts that a file of a picture states.
type Facts struct {
	Title       string
	Description string
	Orientation int // from 1 to 8 as in EXIF; 0 if not stated
	Pages       int // of a TIFF; 1 of any other
}

// Stated returns the facts that a file states in EXIF, in XMP and in the tags of TIFF. What can't be read is left out.
func Stated(data []byte) (f Facts) {
	f.Pages = 1
	switch {
	case isTIFF(data):
		f.tags(data, true)
	case bytes.HasPrefix(data, []byte("\xFF\xD8")):
		f.tags(segmentOf(data, 0xE1, "Exif\x00\x00"), false)
	case bytes.HasPrefix(data, []byte("RIFF")):
		if i := bytes.Index(data, []byte("EXIF")); i > 0 && i+8 < len(data) {
			f.tags(bytes.TrimPrefix(data[i+8:], []byte("Exif\x00\x00")), false)
		}
	}
	f.packet(data)
	if d := f.Description; strings.ToUpper(d) == d && strings.ToLower(d) != d { // "OLYMPUS DIGITAL CAMERA" and the like
		f.Description = ""
	}
	return f
}

func isTIFF(data []byte) bool {
	return bytes.HasPrefix(data, []byte("II*\x00")) || bytes.HasPrefix(data, []byte("MM\x00*"))
}

// segmentOf returns the content of the first segment of a JPEG that has a marker and begins with a name.
func segmentOf(data []byte, marker byte, name string) []byte {
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		kind, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		end := at + 2 + size
		if size < 2 || end > len(data) || kind == 0xDA {
			break
		}
		if body := data[at+4 : end]; kind == marker && bytes.HasPrefix(body, []byte(name)) {
			return body[len(name):]
		}
		at = end
	}
	return nil
}

// The tags of TIFF that are read, and bounds of its directories.
const (
	tagDescription = 0x010E
	tagOrientation = 0x0112
	typeText       = 2
	maxDirectories = 10_000
)

// tags reads the first directory of a TIFF, and counts the others.
func (f *Facts) tags(data []byte, pages bool) {
	if !isTIFF(data) || len(data) < 8 {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(data[4:]))
	for n := range maxDirectories {
		if at < 8 || at+2 > int64(len(data)) {
			return
		}
		count := int64(order.Uint16(data[at:]))
		end := at + 2 + 12*count
		if end+4 > int64(len(data)) {
			return
		}
		if n == 0 {
			for i := range count {
				f.tag(data, data[at+2+12*i:], order)
			}
		}
		if !pages {
			return
		}
		f.Pages = n + 1
		if at = int64(order.Uint32(data[end:])); at == 0 {
			return
		}
	}
}

// tag reads an entry of a directory.
func (f *Facts) tag(data, entry []byte, order binary.ByteOrder) {
	size := int64(order.Uint32(entry[4:]))
	switch id := order.Uint16(entry); {
	case id == tagOrientation:
		f.Orientation = int(order.Uint16(entry[8:]))
	case id == tagDescription && order.Uint16(entry[2:]) == typeText:
		text := entry[8:12]
		if size > 4 {
			at := int64(order.Uint32(entry[8:]))
			if at < 0 || at+size > int64(len(data)) {
				return
			}
			text = data[at:]
		}
		f.Description = wordsOf(text[:min(size, int64(len(text)))])
	}
}

// wordsOf returns a text up to its end mark, or "" if it is none.
func wordsOf(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	if !utf8.Valid(b) {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// maxPacket bounds a packet of XMP, in bytes.
const maxPacket = 1 << 20

// packet reads the title and the description of XMP, which is XML in the midst of the file.
func (f *Facts) packet(data []byte) {
	from := bytes.Index(data, []byte("<x:xmpmeta"))
	if from < 0 {
		return
	}
	length := bytes.Index(data[from:], []byte("</x:xmpmeta>"))
	if length < 0 || length > maxPacket {
		return
	}
	d := xml.NewDecoder(bytes.NewReader(data[from : from+length]))
	within := ""
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == "title" || t.Name.Local == "description" {
				within = t.Name.Local
			}
		case xml.EndElement:
			if t.Name.Local == within {
				within = ""
			}
		case xml.CharData:
			words := strings.TrimSpace(string(t))
			switch {
			case words == "":
			case within == "title" && f.Title == "":
				f.Title = words
			case within == "description":
				f.Description, within = words, "" // the first language
			}
		}
	}
}
