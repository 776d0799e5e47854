package llm

import (
	"regexp"
	"strings"
)

// thoughtTags are the elements in which models think before they answer.
var thoughtTags = []string{"think", "thinking"}

var thought = regexp.MustCompile(`(?s)<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)

// WithoutThoughts returns a model's text without the thoughts in <think> tags.
func WithoutThoughts(text string) string { return thought.ReplaceAllString(text, "") }

// A ThoughtFilter drops the thoughts at the beginning of a streamed text, and
// the white space around them. Its zero value is ready for use.
type ThoughtFilter struct {
	buffer  string // the beginning, while it may be a thought
	started bool   // the answer proper has begun
}

// Write adds a piece of the text and returns what can be shown now.
func (f *ThoughtFilter) Write(piece string) string {
	if f.started {
		return piece
	}
	f.buffer, f.started = skipThoughts(f.buffer + piece)
	if !f.started {
		return ""
	}
	return f.buffer
}

// Close returns what was held back, unless it is a thought that never ended.
func (f *ThoughtFilter) Close() string {
	if f.started {
		return ""
	}
	f.started = true
	for _, tag := range thoughtTags {
		if strings.HasPrefix(f.buffer, "<"+tag+">") {
			return ""
		}
	}
	return f.buffer
}

// skipThoughts drops leading thoughts and white space. It reports false while
// the rest may still turn out to begin with a thought.
func skipThoughts(text string) (rest string, decided bool) {
	rest, decided = strings.TrimLeft(text, " \n\r\t"), true
	for _, tag := range thoughtTags {
		if inside, ok := strings.CutPrefix(rest, "<"+tag+">"); ok {
			if _, after, closed := strings.Cut(inside, "</"+tag+">"); closed {
				return skipThoughts(after)
			}
			return rest, false
		}
		decided = decided && !strings.HasPrefix("<"+tag+">", rest)
	}
	return rest, decided
}
