package summarize

import (
	"regexp"
	"strings"
)

// shown passes a stream of text on without its marks, whose numbers mean
// nothing to a reader until the summary is finished, and without what a model
// thinks aloud first.
type shown struct {
	write   func(string)
	spoke   bool
	pending string // not yet passed on: it may be part of a mark or of a thought, or be spaces before a mark
}

var (
	markAhead = regexp.MustCompile(`^` + marks.String())
	maybeMark = regexp.MustCompile(`^\s*(?:\[[\d\s,;]*)?$`)
	plainText = regexp.MustCompile(`^\s*[^\s\[]+|^\s*\[|^\s+`)
)

// longestMark bounds what is held back because it may become a mark, in bytes.
const longestMark = 40

func (s *shown) take(text string) {
	s.pending += text
	if !s.spoke && s.thinking() {
		return
	}
	for s.pending != "" {
		if m := markAhead.FindString(s.pending); m != "" {
			s.pending = s.pending[len(m):]
			continue
		}
		if maybeMark.MatchString(s.pending) && len(s.pending) < longestMark {
			return
		}
		piece := plainText.FindString(s.pending)
		s.pending = s.pending[len(piece):]
		s.spoke = true
		s.write(piece)
	}
}

// thinking drops what a model thinks aloud and reports whether it may still be
// at it.
func (s *shown) thinking() bool {
	s.pending = strings.TrimLeft(s.pending, " \t\r\n")
	const tag = "<think"
	if !strings.HasPrefix(s.pending, tag[:min(len(tag), len(s.pending))]) {
		return false
	}
	_, rest, over := strings.Cut(s.pending, "</think")
	if over {
		_, rest, over = strings.Cut(rest, ">")
	}
	if over {
		s.pending = strings.TrimLeft(rest, " \t\r\n")
	}
	return !over || s.pending == ""
}

// flush passes on what was held back and turned out to be no mark.
func (s *shown) flush() {
	if rest := strings.TrimRight(s.pending, " \t\r\n"); rest != "" && s.spoke {
		s.write(rest)
	}
	s.pending = ""
}
