package parse

import (
	"encoding/hex"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// rtfPictures reads the pictures of a text, which are written in hexadecimal digits or as they are.
type rtfPictures struct {
	read    bool   // the open one is a PNG or a JPEG
	data    []byte // of the open one
	half    []byte // the first of two digits
	waiting [][]byte
}

// word obeys a control word about pictures.
func (p *rtfPictures) word(s *rtfState, word string) {
	switch word {
	case "shppict":
		s.out = s.outside
	case "nonshppict", "listpicture":
		s.out, s.outside = true, true // the picture stands elsewhere too, or is a bullet
	case "pict":
		s.picture = !s.outside && !s.running && !s.hidden && s.look() != script.Struck
		s.out, s.running = true, false
		p.begin()
	default:
		p.read = true
	}
}

// begin begins a picture.
func (p *rtfPictures) begin() { p.read, p.data, p.half = false, nil, p.half[:0] }

// digit adds a hexadecimal digit.
func (p *rtfPictures) digit(c byte) {
	if p.half = append(p.half, c); len(p.half) < 2 {
		return
	}
	var b [1]byte
	if _, err := hex.Decode(b[:], p.half); err == nil {
		p.add(b[:])
	}
	p.half = p.half[:0]
}

// add adds bytes.
func (p *rtfPictures) add(data []byte) {
	if p.read && len(p.data)+len(data) <= maxPicture {
		p.data = append(p.data, data...)
	}
}

// end ends a picture. Those of other formats are counted as not read.
func (p *rtfPictures) end(w *writer) {
	if !p.read {
		w.gallery.unread++
	} else if len(p.waiting) < maxObjects {
		p.waiting = append(p.waiting, p.data)
	}
	p.begin()
}

// flush adds the pictures of a paragraph to the text.
func (p *rtfPictures) flush(w *writer) {
	for _, data := range p.waiting {
		w.shows(data, "")
	}
	p.waiting = nil
}
