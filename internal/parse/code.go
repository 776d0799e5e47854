package parse

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readCode reads source code as it stands: blank lines separate paragraphs,
// and each knows the number of its first line.
func readCode(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	c := codeWriter{w: w}
	for number, line := range strings.Split(tidyPreformatted(s), "\n") {
		c.line(number+1, strings.TrimRight(line, " "))
		if number%1024 == 0 && (ctx.Err() != nil || w.full || w.crowded) {
			break
		}
	}
	c.flush()
	return ctx.Err()
}

// A codeWriter gathers the lines of a paragraph.
type codeWriter struct {
	w     *writer
	lines []string
	first int // number of the first line
}

func (c *codeWriter) line(number int, line string) {
	if line == "" {
		c.flush()
		return
	}
	if len(c.lines) == 0 {
		c.first = number
	}
	c.lines = append(c.lines, line)
}

func (c *codeWriter) flush() {
	if len(c.lines) == 0 {
		return
	}
	text := strings.Join(c.lines, "\n")
	c.w.closePage()
	span := c.w.add(text)
	c.w.place(domain.Page{Unit: domain.UnitLine, Number: c.first, Span: domain.Span{Start: span.Start, End: span.Start + utf8.RuneCountInString(text)}})
	c.lines = nil
}
