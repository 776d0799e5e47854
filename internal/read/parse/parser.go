// Package parse turns the bytes of a file into the text that is stored, searched and cited, with the
// positions of its pages and headings.
//
// Whatever the format, the text follows these rules:
//
//   - it is valid UTF-8 in normal form C, without control characters but the
//     line feed, and without invisible characters that reorder or pad text;
//   - lines end in \n and carry no space at their end, and one blank line, never
//     more, parts two paragraphs;
//   - a heading is a paragraph of one line; a list is a paragraph whose lines
//     begin with "- " or "1. ", two spaces deeper a level; a table is a paragraph
//     with a row a line and its cells parted by " | ", in which the text of a
//     merged cell stands in each place that it covers, and rows that name columns
//     are one;
//   - what characters say by their look stands in words, by the rule of package
//     script; notes come after the text, behind their marks;
//   - it is the text a reader sees: marks of emphasis, link targets, scripts,
//     navigation and the like are left out;
//   - spans count code points of that text.
//
// A file that was read completely but has no text, such as a PDF made of scanned images, is not an
// error: its text is empty and a warning says why.
//
// Files come from strangers. Every format is read with limits on size, expansion, depth, pages and
// time, and a reader that panics nevertheless yields an error.
package parse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// MaxText is the maximum number of code points of a document's text, if its Limits name no other.
const MaxText = 10_000_000

// Limits bound the cost of one file. A zero field gets its default.
type Limits struct {
	MaxBytes    int64         // of the file; 0 means 50 MiB
	MaxExpanded int64         // total size of an unpacked file (DOCX, PDF); 0 means 256 MiB
	MaxPages    int           // of a PDF; 0 means 3,000
	MaxChars    int           // code points of the text; 0 means MaxText
	Timeout     time.Duration // for one file; 0 means 2 minutes
}

func (l Limits) withDefaults() Limits {
	return Limits{
		MaxBytes:    cmp.Or(max(0, l.MaxBytes), 50<<20),
		MaxExpanded: cmp.Or(max(0, l.MaxExpanded), 256<<20),
		MaxPages:    cmp.Or(max(0, l.MaxPages), 3000),
		MaxChars:    cmp.Or(max(0, l.MaxChars), MaxText),
		Timeout:     cmp.Or(max(0, l.Timeout), 2*time.Minute),
	}
}

// Parser reads files of every format. It is safe for concurrent use.
type Parser struct {
	limits Limits
	field  string // of records, which contains their text; "" to choose one
	struck bool   // keep struck text, marked
	chosen string // the encoding of text; "" to guess it
	drawn  bool   // a program draws pictures that can't be decoded
}

// New returns a Parser that keeps to the limits.
func New(l Limits) *Parser {
	return &Parser{limits: l.withDefaults()}
}

// TextIn returns a Parser that takes the field of a name for the text of each
// record in JSON: its name alone, or a path of names with dots between them. It
// chooses one itself for "", and where a record has no such field.
func (p *Parser) TextIn(field string) *Parser {
	other := *p
	other.field = field
	return &other
}

// KeepStruck returns a Parser that keeps text that is crossed out or marked as
// deleted, between tildes, or leaves it out.
func (p *Parser) KeepStruck(keep bool) *Parser {
	other := *p
	other.struck = keep
	return &other
}

// Drawn returns a Parser that leaves pictures without bytes where a program is to draw a part of a page, see [IsUndrawn]. Others
// leave out what they can't decode.
func (p *Parser) Drawn(by bool) *Parser {
	other := *p
	other.drawn = by
	return &other
}

// In returns a Parser that reads text in the encoding of a name, and guesses it for "".
func (p *Parser) In(encoding string) *Parser {
	other := *p
	other.chosen = encoding
	return &other
}

// Parse reads the file of the given name and format. What is wrong with the file is a domain error
// of kind Invalid, Unsupported or TooLarge with a sentence for its owner; if ctx ends first, the
// error wraps ctx's.
//
// Parse returns at the timeout even if a library does not; its goroutine then ends later.
func (p *Parser) Parse(ctx context.Context, name string, format domain.Format, data []byte) (domain.Text, error) {
	if len(data) == 0 {
		return domain.Text{}, domain.Errorf(domain.Invalid, "This file is empty.")
	}
	if int64(len(data)) > p.limits.MaxBytes {
		return domain.Text{}, domain.Errorf(domain.TooLarge, "This file has %s; the limit is %s.", bytesInWords(int64(len(data))), bytesInWords(p.limits.MaxBytes))
	}
	timed, cancel := context.WithTimeout(ctx, p.limits.Timeout)
	defer cancel()
	type result struct {
		text domain.Text
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := p.guarded(timed, name, format, data)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err == nil || !errors.Is(r.err, timed.Err()) {
			return r.text, r.err
		}
	case <-timed.Done():
	}
	if ctx.Err() != nil {
		return domain.Text{}, fmt.Errorf("parse %q: %w", name, ctx.Err())
	}
	return domain.Text{}, domain.Errorf(domain.TooLarge, "Reading this file took longer than %s, so it was stopped; the file may be damaged or far too complex.", p.limits.Timeout)
}

// guarded turns a panic into an error: not all libraries are written with damaged files in mind.
func (p *Parser) guarded(ctx context.Context, name string, format domain.Format, data []byte) (text domain.Text, err error) {
	defer func() {
		if r := recover(); r != nil {
			cause := fmt.Errorf("parse %q: panic: %v\n%s", name, r, debug.Stack())
			text, err = domain.Text{}, domain.Because(domain.Invalid, cause, "This file is damaged and could not be read.")
		}
	}()
	if _, err := EncodingNamed(p.chosen); err != nil {
		return domain.Text{}, err
	}
	read := Of(format).read
	if read == nil {
		return domain.Text{}, domain.Errorf(domain.Unsupported, "Files of the format %q cannot be read. %s", format, Readable())
	}
	w := &writer{limits: p.limits, keepStruck: p.struck, encoding: encodingOf(p.chosen), field: p.field, drawn: p.drawn}
	if err := read(ctx, w, data); err != nil {
		return domain.Text{}, err
	}
	return w.finish()
}

func bytesInWords(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// A DeathError reports that the process that read a file ended, or had to be ended, because of it. The fault may be the
// file's or the machine's: a second try shows which.
type DeathError struct{ Err *domain.Error }

// Error returns the sentence for the file's owner.
func (e *DeathError) Error() string { return e.Err.Error() }

// Unwrap returns the domain error.
func (e *DeathError) Unwrap() error { return e.Err }
