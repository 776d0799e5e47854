package parse

import (
	"encoding/hex"
	"strings"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// rtfPictures reads the pictures of a text, which are written in hexadecimal digits or as they are.
type rtfPictures struct {
	read    bool   // the open one is a PNG or a JPEG
	data    []byte // of the open one
	half    []byte // the first of two digits
	alt     string // alternative text of the open one, or of the next in its shape
	inShape int    // pictures of the shape so far
	waiting []rtfPicture

	name, value strings.Builder // of the property that is read
}

// An rtfPicture is a picture with its alternative text.
type rtfPicture struct {
	data []byte
	alt  string
}

// Parts of a property of a shape or a picture.
const (
	rtfPropertyName = iota + 1
	rtfPropertyValue
)

// word obeys a control word about pictures.
func (p *rtfPictures) word(s *rtfState, word string) {
	switch word {
	case "shppict":
		s.out = s.outside
	case "nonshppict", "listpicture":
		s.out, s.outside = true, true // the picture appears elsewhere too, or is a bullet
	case "pict":
		s.picture = !s.outside && !s.running && !s.hidden && s.look() != script.Struck
		s.out, s.running, s.inPicture, s.property = true, false, true, 0
		p.begin()
		if !s.shape {
			p.alt = ""
		}
	case "shp":
		s.shape, p.alt, p.inShape = true, "", 0
	case "sn":
		s.property = rtfPropertyName
		p.name.Reset()
	case "sv":
		s.property = rtfPropertyValue
		p.value.Reset()
	default:
		p.read = true
	}
}

// property adds to the name or the value of a property.
func (p *rtfPictures) property(s *rtfState, text string) {
	to := &p.name
	if s.property == rtfPropertyValue {
		to = &p.value
	}
	if to.Len() < maxAlt {
		to.WriteString(text)
	}
}

// maxAlt bounds what is read of a property, in bytes.
const maxAlt = 4 * MaxPictureWords

// endProperty takes the alternative text from a property whose value has ended. A shape may state it behind its picture.
func (p *rtfPictures) endProperty(s *rtfState) {
	name, alt := strings.TrimSpace(p.name.String()), p.value.String()
	p.name.Reset()
	p.value.Reset()
	switch {
	case name != "wzDescription":
	case !s.inPicture && s.shape && p.inShape > 0 && len(p.waiting) > 0:
		p.waiting[len(p.waiting)-1].alt = alt
	case s.inPicture, s.shape:
		p.alt = alt
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
		p.waiting = append(p.waiting, rtfPicture{p.data, p.alt})
		p.inShape++
	}
	p.alt = ""
	p.begin()
}

// flush adds the pictures of a paragraph to the text.
func (p *rtfPictures) flush(w *writer) {
	for _, one := range p.waiting {
		w.shows(one.data, one.alt)
	}
	p.waiting, p.inShape = nil, 0
}
