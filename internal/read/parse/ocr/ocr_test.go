package ocr_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/parse/ocr"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// asChild is the command of this test binary as a child that parses.
const asChild = "child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asChild {
		if err := child.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// reader returns a reader of scans with the tesseract that PATH leads to.
func reader(t *testing.T, pages int) *ocr.Reader {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pool := child.New(child.Options{
		Command: []string{program, asChild}, Memory: 512 << 20, Timeout: 2 * time.Minute, Tokens: 64, Log: slog.New(slog.DiscardHandler),
		Limits: parse.Limits{MaxBytes: 64 << 20, MaxPages: 100, MaxChars: 1 << 20},
	})
	t.Cleanup(func() { _ = pool.Close() })
	return ocr.New(pool, ocr.Options{Languages: "eng", Pages: pages, Log: slog.New(slog.DiscardHandler)})
}

func readBy(ctx context.Context, r *ocr.Reader, data string) (domain.Text, error) {
	return r.Parse(ctx, domain.FormatPDF, domain.Chunking{}, struct{ io.Reader }{strings.NewReader(data)}, int64(len(data)), func() error { return nil })
}

// scanned returns a PDF of three pages, of which the second has text and the others
// are images of so many dots.
func scanned(width, height int, dots string) string {
	image := pdftest.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray", width, height), dots)
	show := "q 595 0 0 842 0 0 cm /X Do Q"
	return pdftest.Pages([]string{show, pdftest.Lines(50, 700, 10, "The second page has a text layer."), show}, "/XObject << /X 4 0 R >>", image)
}

// fake puts a program on PATH that stands for tesseract.
func fake(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "tesseract"), []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// table is what tesseract says of a page: two paragraphs, one hyphenated.
const table = `read -r head; cat >/dev/null 2>&1 || :
printf 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n'
printf '5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t90.5\tThe\n5\t1\t1\t1\t1\t2\t0\t0\t9\t9\t90.5\thar-\n5\t1\t1\t1\t2\t1\t0\t0\t9\t9\t49.5\tbour.\n'
printf '5\t1\t1\t2\t1\t1\t0\t0\t9\t9\t49.5\tBuilt\n4\t1\t1\t2\t1\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t2\t1\t2\t0\t0\t9\t9\t-1\t \n'
`

func TestPagesThatAreImages(t *testing.T) {
	fake(t, strings.ReplaceAll(table, "cat ", "/bin/cat "))
	text, err := readBy(t.Context(), reader(t, 9), scanned(40, 60, strings.Repeat("\xff", 2400)))
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, p := range text.Pages {
		pages = append(pages, fmt.Sprint(p.Number, " ", p.Span.Slice(text.Content)))
	}
	want := "1 The harbour.\n\nBuilt|2 The second page has a text layer.|3 The harbour.\n\nBuilt"
	if got := strings.Join(pages, "|"); got != want {
		t.Errorf("pages %q, want %q", got, want)
	}
	said := strings.Join(text.Warnings, "\n")
	if !strings.Contains(said, "2 pages are images and were read by tesseract, with a mean confidence of 70 %.") || !strings.Contains(said, "hard to read: 1 (70 %), 3 (70 %)") {
		t.Errorf("warnings: %s", said)
	}
}

func TestOnlySoManyPagesAreRead(t *testing.T) {
	fake(t, strings.ReplaceAll(table, "cat ", "/bin/cat "))
	text, err := readBy(t.Context(), reader(t, 1), scanned(40, 60, strings.Repeat("\xff", 2400)))
	if said := strings.Join(text.Warnings, "\n"); err != nil || strings.Count(text.Content, "harbour") != 1 || !strings.Contains(said, "Only the first 1 pages") {
		t.Errorf("text %q, warnings %s, error %v", text.Content, said, err)
	}
}

func TestTesseractFails(t *testing.T) {
	for name, tt := range map[string]struct{ script, data, kind, said string }{
		"missing, some text": {"", scanned(4, 4, strings.Repeat("\xff", 16)), "", "install it where Clew runs"},
		"missing, no text":   {"", pdftest.Pages([]string{"/X Do"}, "/XObject << /X 4 0 R >>", pdftest.Stream("/Subtype /Image", "x")), "unsupported", "tesseract-ocr"},
		"a language":         {"echo \"Failed loading language 'eng'\" >&2; exit 1", scanned(4, 4, strings.Repeat("\xff", 16)), "unsupported", "OCR_LANGUAGES"},
		"it crashes":         {"exit 9", scanned(4, 4, strings.Repeat("\xff", 16)), "", "gave up on pages 1, 3"},
		"unknown codes":      {"exit 9", strings.ReplaceAll(scanned(4, 4, strings.Repeat("\xff", 16)), "/Width 4", "/Filter /JBIG2Decode /Width 4"), "", "Nothing was read on pages 1, 3: the image there is damaged or in an encoding, such as JBIG2 or JPEG 2000, that is read where pdftoppm is installed"},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, tt.script)
			text, err := readBy(t.Context(), reader(t, 9), tt.data)
			message, _ := domain.MessageOf(err)
			said := strings.Join(append(text.Warnings, message), "\n")
			if (err != nil) != (tt.kind != "") || err != nil && domain.KindOf(err) != domain.Unsupported || !strings.Contains(said, tt.said) {
				t.Errorf("said %s, error %v", said, err)
			}
		})
	}
}

// TestAStopEndsTesseract ends when the run is stopped, while tesseract never would.
func TestAStopEndsTesseract(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	fake(t, "echo x > "+started+"; exec /bin/sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	r := reader(t, 9)
	go func() {
		_, err := readBy(ctx, r, scanned(4, 4, strings.Repeat("\xff", 16)))
		done <- err
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		select {
		case err := <-done:
			t.Fatalf("it ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-done; err == nil || ctx.Err() == nil {
		t.Errorf("stopped with %v", err)
	}
}

// TestARealScan prints prose, makes pictures of the pages, and reads those.
func TestARealScan(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"tesseract", "pdftoppm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("left out: %s is not installed", program)
		}
	}
	lines := []string{"The harbour of Brae was built in 1820 by Ada Quill,", "who owned three ships and a mill on the river Velm.", "When the first bridge fell, she paid for the second."}
	dir := t.TempDir()
	printed := filepath.Join(dir, "a.pdf")
	if err := os.WriteFile(printed, []byte(pdftest.Pages([]string{pdftest.Lines(60, 700, 14, lines...)}, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "pdftoppm", "-r", "150", "-gray", "-singlefile", printed, filepath.Join(dir, "scan"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pgm, err := os.ReadFile(filepath.Join(dir, "scan.pgm"))
	if err != nil {
		t.Fatal(err)
	}
	var width, height, depth int
	if _, err := fmt.Fscanf(bytes.NewReader(pgm), "P5\n%d %d\n%d\n", &width, &height, &depth); err != nil {
		t.Fatal(err)
	}
	text, err := readBy(t.Context(), reader(t, 9), scanned(width, height, string(pgm[len(pgm)-width*height:])))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(lines, " ")
	if got := text.Pages[2].Span.Slice(text.Content); got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	if got := text.Place(domain.Span{End: 3}); got != "" || len(text.Pages) != 3 {
		t.Errorf("%d pages, the first words at %q", len(text.Pages), got)
	}
	t.Log(text.Warnings)
}
