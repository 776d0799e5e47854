package domain

import (
	"cmp"
	"fmt"
)

// A Picture is a picture in a document, kept as a PNG or JPEG file of its own.
type Picture struct {
	Number      int       `json:"picture"`        // from 1, in the order of the text
	Page        int       `json:"page,omitempty"` // number of its page; 0 if the document has no pages
	Box         []float64 `json:"box,omitempty"`  // left, top, right and bottom, as parts of the page; nil if unknown
	At          Span      `json:"at"`             // of its caption and words in the text; empty and between two paragraphs if it has none
	Caption     string    `json:"caption,omitempty"`
	Alt         string    `json:"alt,omitempty"`         // alternative text
	Description string    `json:"description,omitempty"` // by a model
	Model       string    `json:"model,omitempty"`       // which described it
	Media       string    `json:"media"`                 // image/png or image/jpeg
	Width       int       `json:"width"`                 // in pixels, as stored
	Height      int       `json:"height"`
	Hash        string    `json:"hash"` // of its bytes

	Data []byte `json:"-"` // its bytes, while the file is being read
}

// Title names a picture: by its caption, else by its number.
func (p Picture) Title() string {
	return cmp.Or(p.Caption, fmt.Sprintf("Picture %d", p.Number))
}

// Says describes a picture by the best words that are known of it, or returns "".
func (p Picture) Says() string {
	return cmp.Or(p.Caption, p.Alt, p.Description)
}
