package child

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/picture"
)

// setup is the first message to a child.
type setup struct {
	Memory int64 `json:"memory"`
	Limits parse.Limits
	Tokens int `json:"tokens"` // maximum in a chunk

	KeepStruck bool `json:"keep_struck,omitempty"`
	Draws      bool `json:"draws,omitempty"`
}

// ready is a child's answer to its setup.
type ready struct {
	Missing []string `json:"missing"` // what the system did not let it give up
}

// request asks a child to parse the Size bytes that follow, or to split the text
// that follows if there is no format.
type request struct {
	Format domain.Format   `json:"format"`
	Size   int64           `json:"size"`
	Unpack bool            `json:"unpack,omitempty"` // answer with the files in it
	Links  string          `json:"links,omitempty"`  // answer with the links in it; their kind
	How    domain.Chunking `json:"how,omitzero"`
}

// answer is the head of a child's answer. Unless it failed, the content, pages and headings of a text follow, or the
// cuts.
type answer struct {
	Title    string       `json:"title"`
	Facts    domain.Facts `json:"facts"`
	Warnings []string     `json:"warnings"`
	Failed   *failure     `json:"failed"`

	Properties map[string][]string `json:"properties,omitempty"`
}

// packed is the head of a file within another, whose content follows. After the
// last comes one without a name.
type packed struct {
	Name   string   `json:"name"`
	Others []string `json:"others,omitempty"` // names of files that can't be read
	Failed *failure `json:"failed,omitempty"` // why no more follow
}

// failure is an error of the parser.
type failure struct {
	Kind    domain.Kind `json:"kind"`
	Message string      `json:"message"`
	Cause   string      `json:"cause"`
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Kind: domain.KindOf(err), Message: domain.Cut(strings.Map(spaced, domain.InWords(err)), maxSentence)}
	if cause := errors.Unwrap(err); cause != nil {
		f.Cause = domain.Cut(cause.Error(), maxCause)
	}
	return f
}

// spaced returns a space for a control character.
func spaced(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// Bounds of an answer, in code points and in numbers. A parser keeps within
// them by far.
const (
	maxSentence = 2000
	maxCause    = 8000
	maxWarnings = 1000
	maxLevel    = 9
	maxHeadings = 200_000
)

// err returns the parser's error, or a problem of the failure itself.
func (f *failure) err() (refused, bad error) {
	if !fit(f.Message, maxSentence) || len(f.Cause) > 4*maxCause {
		return nil, malformed("an error of %d bytes", len(f.Message)+len(f.Cause))
	}
	switch f.Kind {
	case domain.Invalid, domain.Unsupported, domain.TooLarge:
		return &domain.Error{Kind: f.Kind, Message: f.Message, Err: f.cause()}, nil
	case domain.Internal:
		return errors.New(f.Message), nil
	}
	return nil, malformed("an error of kind %d", f.Kind)
}

func (f *failure) cause() error {
	if f.Cause == "" {
		return nil
	}
	return errors.New(f.Cause)
}

// fit reports whether s is a line of at most most code points.
func fit(s string, most int) bool {
	return len(s) <= 4*most && utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

// fitProperties reports whether properties are clean and within their bounds.
func fitProperties(all map[string][]string) bool {
	for name, values := range all {
		if !fit(name, parse.MaxPropertyName) || len(values) > parse.MaxPropertyItems || slices.ContainsFunc(values, func(v string) bool { return !fit(v, parse.MaxPropertyValue) }) {
			return false
		}
	}
	return len(all) <= parse.MaxProperties
}

func writeText(w io.Writer, t domain.Text) error {
	if err := writeFrame(w, []byte(t.Content)); err != nil {
		return err
	}
	if err := writePages(w, t.Pages); err != nil {
		return err
	}
	if err := writeHeadings(w, t.Headings); err != nil {
		return err
	}
	return writePictures(w, t.Pictures)
}

// writePictures writes what is known of pictures, and then their bytes.
func writePictures(w io.Writer, all []domain.Picture) error {
	if err := writeJSON(w, all); err != nil {
		return err
	}
	for _, p := range all {
		if err := writeFrame(w, p.Data); err != nil {
			return err
		}
	}
	return nil
}

// maxPictures is the maximum size of the descriptions of pictures, in bytes.
const maxPictures = parse.MaxPictures * (2*6*parse.MaxPictureWords + 1000)

// readPictures reads the pictures of a text of a length in code points, and checks them. They are never decoded. Some
// may have to be drawn.
func readPictures(r io.Reader, length int, draws bool) ([]domain.Picture, error) {
	var all []domain.Picture
	if err := readHead(r, maxPictures, &all); err != nil {
		return nil, err
	}
	if len(all) > parse.MaxPictures {
		return nil, malformed("%d pictures", len(all))
	}
	most := parse.MaxPictureBytes + 8*parse.MaxPicture
	for i := range all {
		p := &all[i]
		begins, known := signatures[p.Media]
		if parse.IsUndrawn(*p) {
			known = draws && p.Page > 0 && len(p.Box) == 4 && max(p.Width, p.Height) <= picture.MaxSide
		}
		switch {
		case !known || p.Number != i+1 || p.Width < 1 || p.Height < 1 || max(p.Width, p.Height) > math.MaxUint16 || p.Page < 0:
			return nil, malformed("picture %d, %q", i+1, p.Media)
		case p.At.Start < 0 || p.At.End < p.At.Start || p.At.End > length:
			return nil, malformed("a picture outside the text")
		case !fit(p.Alt, parse.MaxPictureWords) || !fit(p.Caption, parse.MaxPictureWords) || p.Description != "" || p.Model != "" || p.Hash != "":
			return nil, malformed("the words of a picture")
		case len(p.Box) != 0 && len(p.Box) != 4 || slices.ContainsFunc(p.Box, func(v float64) bool { return !(v >= 0 && v <= 1) }):
			return nil, malformed("the place of a picture")
		}
		var err error
		if p.Data, err = readFrame(r, most); err != nil {
			return nil, err
		}
		if most -= len(p.Data); parse.IsUndrawn(*p) != (len(p.Data) == 0) || !strings.HasPrefix(string(p.Data[:min(len(p.Data), 8)]), begins) {
			return nil, malformed("a picture that is no %s", p.Media)
		}
	}
	return all, nil
}

// signatures are how pictures begin, by their media types.
var signatures = map[string]string{"image/png": "\x89PNG\r\n\x1A\n", "image/jpeg": "\xFF\xD8\xFF"}

// units holds the attributes that a run of pages shares.
type units struct {
	Unit  domain.Unit `json:"unit,omitempty"`
	Name  string      `json:"name,omitempty"`
	Pages int         `json:"pages"`
}

func writePages(w io.Writer, pages []domain.Page) error {
	runs := []units{}
	for i, p := range pages {
		if i == 0 || p.Unit != pages[i-1].Unit || p.Name != pages[i-1].Name {
			runs = append(runs, units{Unit: p.Unit, Name: p.Name})
		}
		runs[len(runs)-1].Pages++
	}
	if err := writeJSON(w, runs); err != nil {
		return err
	}
	return writeRows(w, rowsOf(pages, func(p domain.Page) (int, domain.Span) { return p.Number, p.Span }))
}

// readPages reads the pages of a text of a length in code points, of which at most most may be pages in the narrow
// sense, and checks them.
func readPages(r io.Reader, length, most int) ([]domain.Page, error) {
	var runs []units
	if err := readHead(r, maxRuns, &runs); err != nil {
		return nil, err
	}
	rows, err := readRows(r, parse.MaxUnits)
	if err != nil {
		return nil, err
	}
	if !inOrder(rows, length) {
		return nil, malformed("pages outside the text")
	}
	var pages []domain.Page
	for _, u := range runs {
		switch {
		case !slices.Contains(knownUnits, u.Unit) || !fit(u.Name, maxSentence):
			return nil, malformed("a unit %q of pages", u.Unit)
		case u.Pages < 1 || u.Pages > len(rows):
			return nil, malformed("%d pages", u.Pages)
		case u.Unit == domain.UnitPage:
			most -= u.Pages
		}
		if most < 0 {
			return nil, malformed("too many pages")
		}
		for _, p := range rows[:u.Pages] {
			if p.Number > math.MaxInt32 || p.Number < 1 && u.Unit != domain.UnitRow && u.Unit != domain.UnitTime {
				return nil, malformed("a page with the number %d", p.Number)
			}
			pages = append(pages, domain.Page{Number: int(p.Number), Span: p.span(), Unit: u.Unit, Name: u.Name})
		}
		rows = rows[u.Pages:]
	}
	if len(rows) > 0 {
		return nil, malformed("%d pages without a unit", len(rows))
	}
	return pages, nil
}

// maxRuns is the maximum size of the units of pages in bytes: each page may have a label.
const maxRuns = 16 << 20

// knownUnits are the units of pages.
var knownUnits = []domain.Unit{
	domain.UnitPage, domain.UnitSlide, domain.UnitRow, domain.UnitLine, domain.UnitRecord, domain.UnitMessage, domain.UnitCell, domain.UnitTime,
}

func writeHeadings(w io.Writer, headings []domain.Heading) error {
	return writeRows(w, rowsOf(headings, func(h domain.Heading) (int, domain.Span) { return h.Level, h.Span }))
}

func rowsOf[T any](list []T, of func(T) (int, domain.Span)) []row {
	rows := make([]row, len(list))
	for i, v := range list {
		number, span := of(v)
		rows[i] = row{uint32(number), uint32(span.Start), uint32(span.End)}
	}
	return rows
}

// readText reads a text from a child and checks it.
func readText(r io.Reader, head answer, l parse.Limits, draws bool) (domain.Text, error) {
	content, err := readFrame(r, 4*l.MaxChars)
	if err != nil {
		return domain.Text{}, err
	}
	t := domain.Text{Title: head.Title, Content: string(content), Warnings: head.Warnings, Facts: head.Facts, Properties: head.Properties}
	length := domain.Runes(t.Content)
	if t.Pages, err = readPages(r, length, l.MaxPages); err != nil {
		return domain.Text{}, err
	}
	headings, err := readRows(r, maxHeadings)
	if err != nil {
		return domain.Text{}, err
	}
	switch {
	case length > l.MaxChars:
		return domain.Text{}, malformed("%d characters", length)
	case !utf8.ValidString(t.Content) || strings.ContainsFunc(t.Content, isControl):
		return domain.Text{}, malformed("text that is not clean")
	case !fit(t.Title, maxSentence):
		return domain.Text{}, malformed("a title of %d bytes", len(t.Title))
	case !fit(t.Facts.Link, maxSentence) || !fit(t.Facts.Published, maxSentence) || !fit(t.Facts.Author, maxSentence) || !fit(t.Facts.Language, maxSentence):
		return domain.Text{}, malformed("facts that are not clean")
	case !fitProperties(t.Properties):
		return domain.Text{}, malformed("%d properties", len(t.Properties))
	case len(t.Warnings) > maxWarnings || slices.ContainsFunc(t.Warnings, func(s string) bool { return !fit(s, maxSentence) }):
		return domain.Text{}, malformed("%d warnings", len(t.Warnings))
	case !inOrder(headings, length) || slices.ContainsFunc(headings, func(h row) bool { return h.Number < 1 || h.Number > maxLevel }):
		return domain.Text{}, malformed("headings outside the text")
	}
	t.Headings = headingsOf(t.Content, headings)
	t.Pictures, err = readPictures(r, length, draws)
	return t, err
}

func (r row) span() domain.Span { return domain.Span{Start: int(r.Start), End: int(r.End)} }

// isControl reports whether a text may not hold r.
func isControl(r rune) bool { return r != '\n' && unicode.IsControl(r) }

// inOrder reports whether rows lie in a text of that length, one after the other.
func inOrder(rows []row, length int) bool {
	at := uint32(0)
	for _, r := range rows {
		if r.Start < at || r.End < r.Start || int64(r.End) > int64(length) {
			return false
		}
		at = r.End
	}
	return true
}

// headingsOf returns headings with their words, taken from the text.
func headingsOf(content string, rows []row) []domain.Heading {
	var headings []domain.Heading
	rest, start := content, 0
	for _, h := range rows {
		span := h.span()
		rest = rest[len(domain.Span{End: span.Start - start}.Slice(rest)):]
		words := domain.Span{End: span.Len()}.Slice(rest)
		rest, start = rest[len(words):], span.End
		headings = append(headings, domain.Heading{Level: int(h.Number), Text: words, Span: span})
	}
	return headings
}

// readCuts reads from a child where to cut a text, and checks it: only white space may separate the cuts, and their
// number must fit the limit of tokens and the pages.
func readCuts(r io.Reader, t domain.Text, limit int) ([]chunk.Cut, error) {
	content, length := t.Content, domain.Runes(t.Content)
	rows, err := readRows(r, length)
	if err != nil {
		return nil, err
	}
	if !inOrder(rows, length) {
		return nil, malformed("cuts outside the text")
	}
	cuts := make([]chunk.Cut, len(rows))
	rest, start, sum := content, 0, 0
	for i, c := range rows {
		span := c.span()
		gap := domain.Span{End: span.Start - start}.Slice(rest)
		words := domain.Span{End: span.Len()}.Slice(rest[len(gap):])
		tokens := int(c.Number)
		if strings.TrimSpace(gap) != "" || span.Empty() || tokens < 1 || tokens > len(words) || tokens > limit && span.Len() > 1 {
			return nil, malformed("a cut at %d of %d characters and %d tokens", span.Start, span.Len(), tokens)
		}
		rest, start, sum = rest[len(gap)+len(words):], span.End, sum+tokens
		cuts[i] = chunk.Cut{Span: span, Tokens: tokens}
	}
	if strings.TrimSpace(rest) != "" || len(cuts) > 16+2*len(t.Pages)+32*sum/limit {
		return nil, malformed("%d cuts in %d characters", len(cuts), length)
	}
	return cuts, nil
}

// writeFrame writes b with its length before it.
func writeFrame(w io.Writer, b []byte) error {
	if err := binary.Write(w, binary.BigEndian, uint32(len(b))); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// readFrame reads a frame of at most most bytes.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	if int64(length) > int64(most) {
		return nil, malformed("a frame of %d bytes where %d are allowed", length, most)
	}
	b := make([]byte, length)
	_, err := io.ReadFull(r, b)
	return b, err
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, b)
}

// maxHead is the maximum number of bytes of a frame in JSON.
const maxHead = 1 << 20

func readJSON(r io.Reader, v any) error { return readHead(r, maxHead, v) }

// readHead reads a value in JSON of at most most bytes.
func readHead(r io.Reader, most int, v any) error {
	b, err := readFrame(r, most)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return malformed("%w", err)
	}
	return nil
}

// row is a span with a number: of a page, a heading's level, a chunk's tokens.
type row struct{ Number, Start, End uint32 }

var rowSize = binary.Size(row{})

func writeRows(w io.Writer, rows []row) error {
	if err := binary.Write(w, binary.BigEndian, uint32(len(rows)*rowSize)); err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, rows)
}

// readRows reads at most most rows.
func readRows(r io.Reader, most int) ([]row, error) {
	b, err := readFrame(r, most*rowSize)
	if err != nil {
		return nil, err
	}
	if len(b)%rowSize != 0 {
		return nil, malformed("%d bytes of rows", len(b))
	}
	rows := make([]row, len(b)/rowSize)
	_, err = binary.Decode(b, binary.BigEndian, rows)
	return rows, err
}

// malformed describes a problem of an answer.
func malformed(format string, args ...any) error {
	return fmt.Errorf("malformed answer: "+format, args...)
}

// The files whose links a request asks for.
const (
	ofPage    = "page"
	ofSitemap = "sitemap"
)

// LinksOfPage returns the links in a web page. Errors are like those of Parse.
func (p *Pool) LinksOfPage(ctx context.Context, page io.Reader, size int64) (parse.Links, error) {
	return p.links(ctx, ofPage, page, size)
}

// LinksOfSitemap returns the addresses in a sitemap. Errors are like those of Parse.
func (p *Pool) LinksOfSitemap(ctx context.Context, sitemap io.Reader, size int64) (parse.Links, error) {
	return p.links(ctx, ofSitemap, sitemap, size)
}

func (p *Pool) links(ctx context.Context, of string, file io.Reader, size int64) (l parse.Links, err error) {
	err = p.send(ctx, request{Links: of, Size: size}, file, neverLarge, func(r io.Reader, _ answer, _ *time.Timer) error {
		err := readHead(r, maxLinks, &l)
		if err == nil && max(len(l.Pages), len(l.Sitemaps)) > parse.MaxLinks {
			err = malformed("more than %d links", parse.MaxLinks)
		}
		return err
	})
	return l, err
}

// maxLinks is the maximum number of bytes of links in JSON, where a character may take six.
const maxLinks = 6*parse.MaxLinkBytes + maxHead

// links answers with the links in a file.
func (d desk) links(q request) error {
	data, err := d.file(q)
	if err != nil {
		return err
	}
	var l parse.Links
	var refusal error
	if q.Links == ofSitemap {
		l, refusal = parse.LinksOfSitemap(data)
	} else {
		l = parse.LinksOfPage(data)
	}
	if err := writeJSON(d.w, answer{Failed: failureOf(refusal)}); err != nil || refusal != nil {
		return err
	}
	return writeJSON(d.w, l)
}

// Serve runs a child: it drops the rights it doesn't need, then parses and splits what it receives on in, and answers on
// out, until in ends.
func Serve(in io.Reader, out io.Writer) error {
	r, w := bufio.NewReaderSize(in, bufferSize), bufio.NewWriterSize(out, bufferSize)
	var s setup
	if err := readJSON(r, &s); err != nil {
		return err
	}
	os.Stdout = os.Stderr // libraries may print
	// Only its parent ends a child: a signal that a terminal or a service manager sends to all
	// processes would look like a crash.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	debug.SetMemoryLimit(s.Memory / 4 * 3)
	if err := writeJSON(w, ready{Missing: confine(s.Memory)}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.Limits.Timeout = 24 * time.Hour // the parent enforces the time limit
	d := desk{setup: s, parser: parse.New(s.Limits).KeepStruck(s.KeepStruck).Drawn(s.Draws), tokens: chunk.NewTokenizer(), r: r, w: w}
	go d.tokens.Count("a") // loads the vocabulary, which takes a while, during the first file
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
		refusal = domain.Errorf(domain.TooLarge, "This file has %d headings; the limit is %d. Split it into smaller files.", len(t.Headings), maxHeadings)
	}
	if err := writeJSON(d.w, answer{Title: t.Title, Facts: t.Facts, Properties: t.Properties, Warnings: t.Warnings, Failed: failureOf(refusal)}); err != nil || refusal != nil {
		return err
	}
	return writeText(d.w, t)
}

func (d desk) split(how domain.Chunking) error {
	// A text stored by another version may exceed any limit.
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
