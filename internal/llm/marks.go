package llm

import (
	"regexp"
	"strings"
)

// A MarkFilter separates the marks of a streamed text, such as [2] or [1, 3],
// from the words. White space before marks, at the beginning and at the end is
// dropped.
type MarkFilter struct {
	Words   func(string)
	Mark    func(string)
	started bool
	pending string // possibly the beginning of a mark
}

var (
	leadingMark = regexp.MustCompile(`^\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]`)
	maybeMark   = regexp.MustCompile(`^\s*(?:\[[\d\s,;]*)?$`)
	plainText   = regexp.MustCompile(`^\s*[^\s\[]+|^\s*\[|^\s+`)
)

// maxMark bounds the text held back as a possible mark, in bytes.
const maxMark = 40

// Write adds a piece of the text.
func (f *MarkFilter) Write(piece string) {
	f.pending += piece
	if !f.started {
		f.pending = strings.TrimLeft(f.pending, " \t\r\n")
	}
	for f.pending != "" {
		take, found := f.Mark, leadingMark.FindString(f.pending)
		if found == "" {
			if maybeMark.MatchString(f.pending) && len(f.pending) < maxMark {
				return
			}
			take, found = f.Words, plainText.FindString(f.pending)
		}
		f.pending = f.pending[len(found):]
		f.started = true
		take(found)
	}
}

// Close passes on what was held back and is no mark.
func (f *MarkFilter) Close() {
	if rest := strings.TrimRight(f.pending, " \t\r\n"); rest != "" {
		f.Words(rest)
	}
	f.pending = ""
}
