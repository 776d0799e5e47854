package parse

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"
)

// A headerDecoder reads the headers of a message. Those with bytes beyond ASCII, which no
// header should have, are in the encoding of its body or in one that the message suggests.
type headerDecoder struct {
	data     []byte // the message
	declared string // the encoding of its body
	chosen   *Encoding
	raw      *Encoding // of headers; nil until one needs it
}

// decode returns the words of a header in UTF-8.
func (d *headerDecoder) decode(s string) string {
	decoder := mime.WordDecoder{CharsetReader: d.reader}
	words, err := decoder.DecodeHeader(s)
	if err != nil {
		words = s
	}
	if !utf8.ValidString(words) {
		words = d.encoding().decode([]byte(words))
	}
	return shorten(tidyLine(words), 1000)
}

// reader returns a reader of a word whose encoding is named.
func (d *headerDecoder) reader(label string, in io.Reader) (io.Reader, error) {
	e := encodingOf(label)
	if e == nil {
		e = d.encoding()
	}
	data, err := io.ReadAll(in)
	return strings.NewReader(e.decode(data)), err
}

func (d *headerDecoder) encoding() *Encoding {
	if d.raw != nil {
		return d.raw
	}
	d.raw = d.chosen
	if said := encodingOf(d.declared); d.raw == nil && said != nil && said.Name != "utf-8" {
		d.raw = said
	}
	if d.raw == nil {
		d.raw = compare(sampleOf(d.data), encodings()).of
	}
	return d.raw
}
