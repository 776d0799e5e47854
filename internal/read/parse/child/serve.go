package child

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
)

// Serve is a child's whole life: it gives up what it doesn't need of the system,
// then parses and splits what it is sent on in, and answers on out, until in
// ends.
func Serve(in io.Reader, out io.Writer) error {
	r, w := bufio.NewReaderSize(in, bufferSize), bufio.NewWriterSize(out, bufferSize)
	var s setup
	if err := readJSON(r, &s); err != nil {
		return err
	}
	os.Stdout = os.Stderr // libraries may print
	// Only its parent ends a child: what a terminal or a service manager sends
	// to all processes would look like a crash.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	debug.SetMemoryLimit(s.Memory / 4 * 3)
	if err := writeJSON(w, ready{Missing: confine(s.Memory)}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.Limits.Timeout = 24 * time.Hour // the parent keeps the time
	d := desk{setup: s, parser: parse.New(s.Limits).KeepStruck(s.KeepStruck), tokens: chunk.NewTokenizer(), r: r, w: w}
	go d.tokens.Count("a") // which loads the vocabulary: that takes a while, and the first file too
	for {
		var q request
		err := readJSON(r, &q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = d.work(q)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// desk is where a child works.
type desk struct {
	setup
	parser *parse.Parser
	tokens *chunk.Tokenizer
	r      io.Reader
	w      io.Writer
}

func (d desk) work(q request) error {
	switch {
	case q.Unpack:
		return d.unpack(q)
	case q.Links != "":
		return d.links(q)
	case q.Format != "":
		return d.parse(q)
	}
	return d.split(q.How)
}

// file reads the file of a request.
func (d desk) file(q request) ([]byte, error) {
	data := make([]byte, q.Size)
	_, err := io.ReadFull(d.r, data)
	return data, err
}

// unpack answers with the files within a file, one after the other.
func (d desk) unpack(q request) error {
	data, err := d.file(q)
	if err != nil {
		return err
	}
	if err := writeJSON(d.w, answer{}); err != nil {
		return err
	}
	var broken error
	others, refusal := d.parser.In(q.How.Encoding).Unpack(context.Background(), q.Format, data, func(f parse.File) error {
		broken = writeJSON(d.w, packed{Name: f.Name})
		if broken == nil {
			broken = writeFrame(d.w, f.Data)
		}
		return broken
	})
	if broken != nil {
		return broken
	}
	return writeJSON(d.w, packed{Others: others[:min(len(others), maxWarnings)], Failed: failureOf(refusal)})
}

func (d desk) parse(q request) error {
	data, err := d.file(q)
	if err != nil {
		return err
	}
	t, refusal := d.parser.TextIn(q.How.Field).In(q.How.Encoding).Parse(context.Background(), "file", q.Format, data)
	if len(t.Headings) > maxHeadings {
		refusal = domain.Errorf(domain.TooLarge, "This file has %d headings and the limit is %d; split it into smaller files.", len(t.Headings), maxHeadings)
	}
	if err := writeJSON(d.w, answer{Title: t.Title, Facts: t.Facts, Warnings: t.Warnings, Failed: failureOf(refusal)}); err != nil || refusal != nil {
		return err
	}
	return writeText(d.w, t)
}

func (d desk) split(how domain.Chunking) error {
	// A text that was kept by another version may be larger than any limit.
	const most = 1 << 30
	content, err := readFrame(d.r, most)
	if err != nil {
		return err
	}
	t := domain.Text{Content: string(content)}
	if t.Pages, err = readPages(d.r, domain.Runes(t.Content), most/rowSize); err != nil {
		return err
	}
	headings, err := readRows(d.r, most/rowSize)
	if err != nil {
		return err
	}
	t.Headings = headingsOf(t.Content, headings)
	cuts, err := chunk.Cuts(context.Background(), t, chunk.Options{Tokens: cmp.Or(how.Tokens, d.Tokens), By: how.By, Counter: d.tokens})
	if err != nil {
		return err
	}
	if err := writeJSON(d.w, answer{}); err != nil {
		return err
	}
	return writeRows(d.w, rowsOf(cuts, func(c chunk.Cut) (int, domain.Span) { return c.Tokens, c.Span }))
}
