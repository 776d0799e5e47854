// Package ocr reads scans: PDF files whose pages are images, without text. The
// images are taken out of the file in a child process, decoded there, and given to
// tesseract as plain grey dots, so that nothing of the file but dots reaches it.
// Each page has its own process of tesseract, bounded in time and memory.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
)

// Options configure a Reader.
type Options struct {
	Languages string // as tesseract names them, joined by +
	Pages     int    // most of a document that are read
	Log       *slog.Logger
}

// A Reader is a pool of parsers that reads scans too. It is safe for concurrent
// use.
type Reader struct {
	*child.Pool
	program   string // "" if tesseract is not installed
	languages string
	pages     int
	log       *slog.Logger
}

// program returns the path of tesseract, "" if it is not installed.
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
func New(pool *child.Pool, o Options) *Reader {
	return &Reader{Pool: pool, program: program(), languages: o.Languages, pages: o.Pages, log: o.Log}
}

// Parse reads a file as child.Pool.Parse does, and the pages of a PDF that are
// images. Where tesseract is missing, a file that has nothing else is Unsupported.
func (r *Reader) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error) {
	if format != domain.FormatPDF {
		return r.Pool.Parse(ctx, format, how, file, size, large)
	}
	seeker, ok := file.(io.ReadSeeker)
	if !ok {
		data, err := io.ReadAll(io.LimitReader(file, size))
		if err != nil {
			return domain.Text{}, fmt.Errorf("read a file: %w", err)
		}
		seeker = bytes.NewReader(data)
	}
	text, err := r.Pool.Parse(ctx, format, how, seeker, size, large)
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

// errEnough means that as many pages were read as the settings allow.
var errEnough = errors.New("enough pages")

// doubtful is the mean confidence below which a page's words are doubted.
const doubtful = 75

// scans reads the pages of a text that are images.
func (r *Reader) scans(ctx context.Context, text domain.Text, file io.Reader, size int64) (domain.Text, error) {
	read, sum, words := make(map[int][]string), 0.0, 0
	var doubts, failed []string
	tried := 0
	_, err := r.Unpack(ctx, domain.FormatPDF, domain.Chunking{}, file, size, func(name string, picture io.Reader) error {
		if tried++; tried > r.pages {
			return errEnough
		}
		number, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		page, err := r.page(ctx, picture)
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
		filled.Warnings = append(filled.Warnings, fmt.Sprintf("Nothing was read on %s %s: what is there is an image that is damaged or coded in a way that is not supported, such as JBIG2 or JPEG 2000. Add a copy with recognised text.",
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
