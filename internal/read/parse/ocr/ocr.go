// Package ocr reads scans: PDF files whose pages are images, without text. The images are extracted in
// a child process, decoded there, and given to tesseract as plain grey pixels, so that only pixels of
// the file reach it. Each page has its own tesseract process, bounded in time and memory.
package ocr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
)

// Options configure a Reader.
type Options struct {
	Languages string // as tesseract names them, joined by +
	Pages     int    // maximum per document that are read
	Log       *slog.Logger
}

// A Reader is a parser that reads scans too. It is safe for concurrent
// use.
type Reader struct {
	child.Parser
	program   string // "" if tesseract is not installed
	languages string
	pages     int
	log       *slog.Logger
}

// program returns the path of tesseract, or "" if it is not installed.
func program() string {
	path, err := exec.LookPath("tesseract")
	if err != nil {
		return ""
	}
	return path
}

// Installed reports whether scans can be read.
func Installed() bool { return program() != "" }

// New returns a Reader with the tesseract on PATH, if there is one.
func New(parser child.Parser, o Options) *Reader {
	return &Reader{Parser: parser, program: program(), languages: o.Languages, pages: o.Pages, log: o.Log}
}

// Parse reads a file as child.Pool.Parse does, and the words in images and on the pages of a PDF that are
// images. Where tesseract is missing, a file that has nothing else is Unsupported.
func (r *Reader) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error) {
	if format != domain.FormatPDF && format != domain.FormatImage {
		return r.Parser.Parse(ctx, format, how, file, size, large)
	}
	seeker, err := child.Again(file, size)
	if err != nil {
		return domain.Text{}, err
	}
	text, err := r.Parser.Parse(ctx, format, how, seeker, size, large)
	if err == nil && format == domain.FormatImage {
		return r.image(ctx, text, seeker, size)
	}
	if err != nil || parse.ScannedPages(text) == 0 {
		return text, err
	}
	if r.program == "" {
		if text.Content == "" {
			return text, domain.Errorf(domain.Unsupported, "This PDF is a scan: its pages are images without text. Install tesseract where Clew runs (on Debian and Ubuntu the package tesseract-ocr) and read it again, or add a copy with recognised text.")
		}
		text.Warnings = append(text.Warnings, "The pages that are images can be read where tesseract is installed: install it where Clew runs, and read the document again.")
		return text, nil
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return text, fmt.Errorf("read a file: %w", err)
	}
	return r.scans(ctx, text, seeker, size)
}

// legible is the mean confidence below which what is read in an image is taken for noise: many have no words.
const legible = 45

// image reads the words in an image. Without tesseract, or where it gives up, the image is kept without them.
func (r *Reader) image(ctx context.Context, text domain.Text, file io.ReadSeeker, size int64) (domain.Text, error) {
	if r.program == "" {
		text.Warnings = append(text.Warnings, "Words in images are read where tesseract is installed: install it where Clew runs (on Debian and Ubuntu the package tesseract-ocr), and read the image again.")
		return text, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return text, fmt.Errorf("read a file: %w", err)
	}
	var found recognised
	_, err := r.Unpack(ctx, domain.FormatImage, domain.Chunking{}, file, size, func(_ string, picture io.Reader) (err error) {
		found, err = r.page(ctx, picture)
		if _, said := domain.MessageOf(err); err != nil && ctx.Err() == nil && !said {
			r.log.WarnContext(ctx, "read an image", "err", err)
			text.Warnings = append(text.Warnings, "Tesseract gave up on this image.")
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return text, err
	case found.words == 0 || found.confidence < legible:
		return parse.WithRead(text, nil), nil
	}
	text = parse.WithRead(text, found.paragraphs)
	text.Warnings = append(text.Warnings, fmt.Sprintf("Its words were read by tesseract, with a mean confidence of %.0f %%.", found.confidence))
	if found.confidence < doubtful {
		text.Warnings = append(text.Warnings, "Words may be wrong: compare quotations with the image.")
	}
	return text, nil
}

// errEnough means that as many pages were read as the settings allow.
var errEnough = errors.New("enough pages")

// doubtful is the mean confidence below which a page gets a warning.
const doubtful = 75

// scans reads the pages of a text that are images.
func (r *Reader) scans(ctx context.Context, text domain.Text, file io.Reader, size int64) (domain.Text, error) {
	read, sum, words := make(map[int][]string), 0.0, 0
	var doubts, failed []string
	tried := 0
	_, err := r.Unpack(ctx, domain.FormatPDF, domain.Chunking{}, file, size, func(name string, picture io.Reader) error {
		dots, decoded := child.Holds(picture)
		if !decoded {
			return nil
		}
		if tried++; tried > r.pages {
			return errEnough
		}
		number, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		page, err := r.page(ctx, dots)
		if _, said := domain.MessageOf(err); ctx.Err() != nil || said && err != nil {
			return err
		}
		if err != nil {
			r.log.WarnContext(ctx, "read a scan", "page", number, "err", err)
			failed = append(failed, name)
			return nil
		}
		read[number] = page.paragraphs
		sum, words = sum+page.confidence*float64(page.words), words+page.words
		if page.words > 0 && page.confidence < doubtful {
			doubts = append(doubts, fmt.Sprintf("%s (%.0f %%)", name, page.confidence))
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return text, err
	}
	left := unread(text, read, failed)
	filled, err := parse.FillScans(text, read)
	if err != nil {
		return text, err
	}
	if words > 0 {
		filled.Warnings = append(filled.Warnings, fmt.Sprintf("%s read by tesseract, with a mean confidence of %.0f %%.", were(len(read)), sum/float64(words)))
	}
	if len(doubts) > 0 {
		filled.Warnings = append(filled.Warnings, "Words may be wrong on pages that were hard to read: "+few(doubts)+". Compare quotations with the page.")
	}
	if tried > r.pages {
		filled.Warnings = append(filled.Warnings, fmt.Sprintf("Only the first %d pages that are images were read. OCR_PAGES changes that.", r.pages))
	} else if len(left) > 0 {
		filled.Warnings = append(filled.Warnings, fmt.Sprintf("Nothing was read on %s %s: the image there is damaged or in an encoding, such as JBIG2 or JPEG 2000, that is read where pdftoppm is installed (on Debian and Ubuntu the package poppler-utils). Install it and read the document again, or add a copy with recognised text.",
			map[bool]string{true: "page", false: "pages"}[len(left) == 1], few(left)))
	}
	if len(failed) > 0 {
		filled.Warnings = append(filled.Warnings, "Tesseract gave up on pages "+few(failed)+".")
	}
	return filled, nil
}

// unread lists the pages without text that were neither read nor tried in vain.
func unread(t domain.Text, read map[int][]string, failed []string) (pages []string) {
	for _, p := range t.Pages {
		name := strconv.Itoa(p.Number)
		if _, done := read[p.Number]; p.Span.Empty() && !done && !slices.Contains(failed, name) {
			pages = append(pages, name)
		}
	}
	return pages
}

func were(pages int) string {
	if pages == 1 {
		return "1 page is an image and was"
	}
	return fmt.Sprintf("%d pages are images and were", pages)
}

// few joins the first words of a list.
func few(list []string) string {
	const most = 10
	said := strings.Join(list[:min(len(list), most)], ", ")
	if n := len(list) - most; n > 0 {
		said += fmt.Sprintf(" and %d more", n)
	}
	return said
}

// The bounds of reading one page.
const (
	pageTimeout = 2 * time.Minute
	pageMemory  = 1 << 30 // bytes of address space
	maxOutput   = 16 << 20
)

// recognised is the text that tesseract reads on a page.
type recognised struct {
	paragraphs []string
	words      int
	confidence float64 // mean of its words, from 0 to 100
}

// page reads a picture of a page, a PGM file. The error is that of ctx, or explains why tesseract did not read it.
func (r *Reader) page(ctx context.Context, picture io.Reader) (recognised, error) {
	timed, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	cmd := exec.CommandContext(timed, r.program, "stdin", "stdout", "-l", r.languages, "--dpi", "300", "tsv") //nolint:gosec // both are settings
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C"}
	if folder, ok := os.LookupEnv("TESSDATA_PREFIX"); ok {
		cmd.Env = append(cmd.Env, "TESSDATA_PREFIX="+folder)
	}
	out, said := &child.Bounded{Most: maxOutput}, &child.Bounded{Most: 4096}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, said, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return recognised{}, err
	}
	if err := cmd.Start(); err != nil {
		return recognised{}, err
	}
	limit(cmd.Process.Pid, pageMemory) // it has nothing to read yet
	child.MakeWay(cmd.Process.Pid)
	_, sent := io.Copy(in, picture)
	err = errors.Join(in.Close(), cmd.Wait())
	switch {
	case ctx.Err() != nil:
		return recognised{}, ctx.Err()
	case strings.Contains(said.String(), "Failed loading language"):
		return recognised{}, domain.Errorf(domain.Unsupported, "Tesseract has no data for %s, which OCR_LANGUAGES names. Install it (on Debian and Ubuntu tesseract-ocr- and the language), or change the setting.", r.languages)
	case err != nil:
		return recognised{}, fmt.Errorf("tesseract: %w: %s", err, said.String())
	case sent != nil:
		return recognised{}, sent
	}
	return parseTSV(out.String()), nil
}

// The columns of tesseract's table, one line a word.
const (
	columnLevel      = 0
	columnBlock      = 2
	columnParagraph  = 3
	columnLine       = 4
	columnConfidence = 10
	columnText       = 11
	levelOfWords     = "5"
)

// parseTSV reads tesseract's table.
func parseTSV(table string) (r recognised) {
	var paragraph, line string
	sum := 0.0
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.SplitN(row, "\t", columnText+1)
		if len(cells) <= columnText || cells[columnLevel] != levelOfWords {
			continue
		}
		word := strings.TrimSpace(cells[columnText])
		confidence, err := strconv.ParseFloat(cells[columnConfidence], 64)
		if word == "" || err != nil || confidence < 0 || !utf8.ValidString(word) {
			continue
		}
		sum, r.words = sum+min(confidence, 100), r.words+1
		at := cells[columnBlock] + " " + cells[columnParagraph]
		if at != paragraph {
			r.paragraphs = append(r.paragraphs, "")
		}
		last := &r.paragraphs[len(r.paragraphs)-1]
		*last = joined(*last, word, at == paragraph && cells[columnLine] != line)
		paragraph, line = at, cells[columnLine]
	}
	if r.words > 0 {
		r.confidence = sum / float64(r.words)
	}
	return r
}

// joined appends a word to a text.
func joined(text, word string, newLine bool) string {
	if end, hyphen, ok := prose.Compounds(nil).Mend(text, word); ok && newLine {
		return text[:end] + hyphen + word
	}
	if text == "" {
		return word
	}
	return text + " " + word
}
