package summarize

import (
	"regexp"
	"strings"
)

// A markFilter writes a stream of text without its marks, whose numbers mean
// nothing to readers before the summary is finished.
type markFilter struct {
	write   func(string)
	started bool
	pending string // possibly the beginning of a mark
}

var (
	leadingMark = regexp.MustCompile(`^` + marks.String())
	maybeMark   = regexp.MustCompile(`^\s*(?:\[[\d\s,;]*)?$`)
	plainText   = regexp.MustCompile(`^\s*[^\s\[]+|^\s*\[|^\s+`)
)

// maxMark bounds the text held back as a possible mark, in bytes.
const maxMark = 40

func (f *markFilter) add(text string) {
	f.pending += text
	if !f.started {
		f.pending = strings.TrimLeft(f.pending, " \t\r\n")
	}
	for f.pending != "" {
		if m := leadingMark.FindString(f.pending); m != "" {
			f.pending = f.pending[len(m):]
			continue
		}
		if maybeMark.MatchString(f.pending) && len(f.pending) < maxMark {
			return
		}
		piece := plainText.FindString(f.pending)
		f.pending = f.pending[len(piece):]
		f.started = true
		f.write(piece)
	}
}

// flush writes what was held back and is no mark.
func (f *markFilter) flush() {
	if rest := strings.TrimRight(f.pending, " \t\r\n"); rest != "" && f.started {
		f.write(rest)
	}
	f.pending = ""
}
