package parse

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// docxNotes counts the marks of the notes of a document, and gives them to their
// texts. Footnotes have figures and endnotes small roman numbers, as in Word.
type docxNotes struct {
	marks map[string]string // by kind and id; "" for one whose mark was deleted
	count map[string]int    // by kind
	next  string            // the mark that the next paragraph begins with
}

func newDocxNotes() *docxNotes {
	return &docxNotes{marks: map[string]string{}, count: map[string]int{}}
}

// mark returns the mark of a reference to a note.
func (n *docxNotes) mark(t xml.StartElement) string {
	kind := strings.TrimSuffix(t.Name.Local, "Reference")
	key := kind + " " + attr(t, "id")
	if mark := n.marks[key]; mark != "" {
		return mark
	}
	n.count[kind]++
	mark := strconv.Itoa(n.count[kind])
	if kind == "endnote" {
		mark = lowerRoman.text(n.count[kind])
	}
	n.marks[key] = mark
	return mark
}

// dropped notes a reference in deleted text.
func (n *docxNotes) dropped(t xml.StartElement) {
	if kind, ok := strings.CutSuffix(t.Name.Local, "Reference"); ok && t.Name.Space == "w" {
		if key := kind + " " + attr(t, "id"); n.marks[key] == "" {
			n.marks[key] = ""
		}
	}
}

// note notes that a note begins. It reports false for one whose mark was deleted,
// and for the lines that part notes from the text.
func (n *docxNotes) note(t xml.StartElement) bool {
	switch attr(t, "type") {
	case "separator", "continuationSeparator", "continuationNotice":
		return false
	}
	mark, known := n.marks[t.Name.Local+" "+attr(t, "id")]
	n.next = ""
	if mark != "" {
		n.next = script.Mark(mark) + " "
	}
	return !known || mark != ""
}

// begin returns what a paragraph begins with.
func (n *docxNotes) begin() string {
	mark := n.next
	n.next = ""
	return mark
}

// isDocxNote reports whether an element is a note in the part that holds them.
func isDocxNote(name xml.Name) bool {
	return name.Space == "w" && (name.Local == "footnote" || name.Local == "endnote")
}
