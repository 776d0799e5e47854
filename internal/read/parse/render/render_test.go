package render_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/parse/ocr"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/read/parse/render"
	"github.com/clewhq/clew/internal/testkit/race"
)

// The commands of this test binary as a child that parses, and as one that becomes a program.
const (
	asChild   = "child"
	asProgram = "become"
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == asChild:
		err = child.Serve(os.Stdin, os.Stdout)
	case len(os.Args) > 1 && os.Args[1] == asProgram:
		err = render.Confine(os.Args[2:])
	case strings.HasPrefix(filepath.Base(os.Args[0]), "heif-"):
		misbehave(os.Args[1:])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// misbehave stands for a program that a file has taken over. It does what the file says.
func misbehave(args []string) {
	data, _ := os.ReadFile(args[len(args)-2])
	out := args[len(args)-1]
	switch _, deed, _ := strings.Cut(string(data), "do "); deed {
	case "sleep":
		time.Sleep(time.Hour)
	case "link":
		_ = os.Symlink("/etc/passwd", out)
	case "page":
		_ = os.WriteFile(out, []byte("<script>"), 0o600)
	case "steal":
		secret, _ := os.ReadFile("/etc/passwd")
		_ = os.WriteFile(out, secret, 0o600)
	case "fill":
		f, err := os.Create(out)
		for err == nil {
			_, err = f.Write(make([]byte, 1<<20))
		}
	}
}

// photos returns a parser that converts photos before another one reads them.
func photos(t *testing.T, parser child.Parser) *render.Photos {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return render.NewPhotos(parser, []string{program, asProgram}, slog.New(slog.DiscardHandler))
}

// reader returns a reader of images and scans with the programs that PATH leads to.
func reader(t *testing.T) *render.Reader {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pool := child.New(child.Options{
		Command: []string{program, asChild}, Memory: 512 << 20, Timeout: 2 * time.Minute, Tokens: 64, Log: slog.New(slog.DiscardHandler), Draws: render.Draws() != "",
		Limits: parse.Limits{MaxBytes: 64 << 20, MaxPages: 100, MaxChars: 1 << 20},
	})
	t.Cleanup(func() { _ = pool.Close() })
	return render.New(pool, []string{program, asProgram}, slog.New(slog.DiscardHandler))
}

// needs skips a test where programs are missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if !child.Confines() {
		t.Skip("SKIP: this system has no Landlock")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIP: there is no %s here", program)
		}
	}
}

// sheet draws words, large and black on white, with a red square in the upper left corner.
func sheet(words string) *image.RGBA {
	const larger = 4
	small := image.NewRGBA(image.Rect(0, 0, 200, 60))
	draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: small, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(20, 40)}
	d.DrawString(words)
	draw.Draw(small, image.Rect(0, 0, 15, 15), image.NewUniform(color.RGBA{R: 220, A: 255}), image.Point{}, draw.Src)
	out := image.NewRGBA(image.Rect(0, 0, larger*200, larger*60))
	draw.NearestNeighbor.Scale(out, out.Rect, small, small.Rect, draw.Src, nil)
	return out
}

// encoded returns images as one file, made by heif-enc. Orientation is that of EXIF.
func encoded(t *testing.T, ending string, orientation byte, images ...image.Image) string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-q", "90", "-o", filepath.Join(dir, "photo"+ending)}
	for i, m := range images {
		var b bytes.Buffer
		path := filepath.Join(dir, fmt.Sprint(i, ".png"))
		err := png.Encode(&b, m)
		if orientation > 0 {
			path = filepath.Join(dir, fmt.Sprint(i, ".jpg"))
			b.Reset()
			err = jpeg.Encode(&b, m, nil)
			exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{orientation}) + "\x00\x00\x00\x00\x00\x00\x00"
			tagged := "\xFF\xD8\xFF\xE1" + string([]byte{0, byte(len(exif) + 2)}) + exif + strings.TrimPrefix(b.String(), "\xFF\xD8")
			b.Reset()
			b.WriteString(tagged)
		}
		if err := errors.Join(err, os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.CommandContext(t.Context(), "heif-enc", args...).CombinedOutput(); err != nil {
		t.Fatalf("heif-enc: %v\n%s", err, out)
	}
	data, err := os.ReadFile(args[3])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parser reads files.
type parser interface {
	Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error)
}

func readBy(ctx context.Context, p parser, format domain.Format, data string) (domain.Text, error) {
	return p.Parse(ctx, format, domain.Chunking{}, struct{ io.Reader }{strings.NewReader(data)}, int64(len(data)), func() error { return nil })
}

// corner returns in which corner of a picture the red square is.
func corner(t *testing.T, p domain.Picture) string {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	b := m.Bounds()
	for name, at := range map[string]image.Point{"upper left": {20, 20}, "upper right": {b.Dx() - 20, 20}, "lower left": {20, b.Dy() - 20}, "lower right": {b.Dx() - 20, b.Dy() - 20}} {
		if r, g, _, _ := m.At(at.X, at.Y).RGBA(); r > 40_000 && g < 20_000 {
			return name
		}
	}
	return "none"
}

func TestPhotos(t *testing.T) {
	needs(t, "heif-convert", "heif-enc")
	r := photos(t, reader(t))
	plain := sheet("The harbour was built")
	other := image.NewGray(image.Rect(0, 0, 100, 90))
	for name, tt := range map[string]struct {
		data, corner  string
		width, height int
	}{
		"HEIC":                    {encoded(t, ".heic", 0, plain), "upper left", 800, 240},
		"AVIF":                    {encoded(t, ".avif", 0, plain), "upper left", 800, 240},
		"turned":                  {encoded(t, ".heic", 6, plain), "upper right", 240, 800},
		"upside down":             {encoded(t, ".heic", 3, plain), "lower right", 800, 240},
		"two images":              {encoded(t, ".heic", 0, plain, other), "upper left", 800, 240},
		"two, the second primary": {second(t, encoded(t, ".heic", 0, other, plain)), "upper left", 800, 240},
	} {
		text, err := readBy(t.Context(), r, domain.FormatImage, tt.data)
		if err != nil || len(text.Pictures) != 1 {
			t.Errorf("%s: %d pictures, error %v", name, len(text.Pictures), err)
			continue
		}
		if p := text.Pictures[0]; p.Width != tt.width || p.Height != tt.height || corner(t, p) != tt.corner {
			t.Errorf("%s: %d × %d with the square %s, want %d × %d, %s", name, p.Width, p.Height, corner(t, p), tt.width, tt.height, tt.corner)
		}
	}
}

// second makes the second image of a file its primary one.
func second(t *testing.T, data string) string {
	t.Helper()
	i := strings.Index(data, "pitm")
	if i < 0 {
		t.Fatal("the file names no primary image")
	}
	b := []byte(data)
	binary.BigEndian.PutUint16(b[i+8:], 2)
	return string(b)
}

func TestWordsInPhotos(t *testing.T) {
	needs(t, "heif-convert", "heif-enc", "tesseract")
	r := photos(t, ocr.New(reader(t), ocr.Options{Languages: "eng", Pages: 9, Log: slog.New(slog.DiscardHandler)}))
	text, err := readBy(t.Context(), r, domain.FormatImage, encoded(t, ".heic", 0, sheet("The harbour was built")))
	if err != nil || !strings.Contains(text.Content, "The harbour") {
		t.Errorf("text %q, error %v", text.Content, err)
	}
}

// TestHostilePhotos gives heif-convert files that are damaged, or larger than they look.
func TestHostilePhotos(t *testing.T) {
	needs(t, "heif-convert", "heif-enc")
	t.Setenv("TMPDIR", t.TempDir())
	r := photos(t, reader(t))
	good := encoded(t, ".heic", 0, sheet("The harbour was built"))
	large := []byte(good)
	for i := strings.Index(good, "ispe"); i > 0 && i < len(large)-16; i = len(large) {
		binary.BigEndian.PutUint32(large[i+8:], 50_000)
		binary.BigEndian.PutUint32(large[i+12:], 50_000)
	}
	endless := strings.Replace(good, good[strings.Index(good, "meta")-4:strings.Index(good, "meta")], "\x00\x00\x00\x00", 1)
	for name, data := range map[string]string{
		"half of it": good[:len(good)/2], "only a head": good[:40], "garbage": good[:32] + strings.Repeat("\xA7\x00\x01meta", 5000), "50,000 dots wide": string(large), "a box without a size": endless,
	} {
		began := time.Now()
		text, err := readBy(t.Context(), r, domain.FormatImage, data)
		if kind := domain.KindOf(err); err == nil && len(text.Pictures) != 1 || err != nil && kind != domain.Invalid && kind != domain.TooLarge {
			t.Errorf("%s: %d pictures, error %v", name, len(text.Pictures), err)
		}
		if took := time.Since(began); took > 3*time.Minute {
			t.Errorf("%s took %v", name, took)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "clew-render-*")); len(left) > 0 {
		t.Errorf("the folders %q are left", left)
	}
}

// TestAProgramThatIsTakenOver has this test binary stand for heif-convert.
func TestAProgramThatIsTakenOver(t *testing.T) {
	race.Skip(t) // the detector takes more address space than a program gets, more so on a machine at rest
	needs(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "heif-convert"), binary, 0o700) //nolint:gosec // it is to be run
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	r := photos(t, reader(t))
	photo := func(deed string) string {
		return "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1" + strings.Repeat(" ", 100) + "do " + deed
	}
	for _, deed := range []string{"nothing", "link", "page", "steal", "fill"} {
		text, err := readBy(t.Context(), r, domain.FormatImage, photo(deed))
		if domain.KindOf(err) != domain.Invalid || len(text.Pictures) > 0 || strings.Contains(fmt.Sprint(err), "root:") {
			t.Errorf("%s: %+v, error %v", deed, text, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := readBy(ctx, r, domain.FormatImage, photo("sleep")); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 20*time.Second {
		t.Errorf("a program that sleeps ended after %v with %v", time.Since(began), err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "clew-render-*")); len(left) > 0 {
		t.Errorf("the folders %q are left", left)
	}
}

// TestWithoutPrograms reads what needs a program where there is none.
func TestWithoutPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := readBy(t.Context(), photos(t, reader(t)), domain.FormatImage, "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1"+strings.Repeat("x", 99)); domain.KindOf(err) != domain.Unsupported || !strings.Contains(err.Error(), "libheif-examples") {
		t.Errorf("a photo: %v", err)
	}
	text, err := readBy(t.Context(), reader(t), domain.FormatPDF, figures())
	if said := strings.Join(text.Warnings, "\n"); err != nil || len(text.Pictures) > 0 || !strings.Contains(said, "1 drawing made of lines was left out: install pdftoppm") {
		t.Errorf("drawings: %d pictures, warnings %s, error %v", len(text.Pictures), said, err)
	}
}

// figures returns a PDF with a drawing on its second page.
func figures() string {
	return pdftest.Pages([]string{
		pdftest.Lines(50, 700, 10, "The pump has two valves."),
		"1 0 0 rg 100 400 100 120 re f 0 0 1 rg 200 400 100 120 re f 0 g " + pdftest.Lines(110, 380, 10, "Figure 3: What the pump lifts"),
	}, "")
}

// turnedFigures returns the same, whose second page lies on its side in the file.
func turnedFigures() string {
	page := func(more string, content int) string {
		return fmt.Sprintf("<< /Type /Page /Parent 2 0 R %s /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", more, content)
	}
	return pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 2 /Kids [4 0 R 5 0 R] >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		page("/MediaBox [0 0 600 800]", 6), page("/MediaBox [0 0 800 600] /Rotate 90", 7), pdftest.Stream("", pdftest.Lines(50, 700, 10, "The pump has two valves.")),
		pdftest.Stream("", "0 1 -1 0 800 0 cm 1 0 0 rg 100 400 100 120 re f 0 0 1 rg 200 400 100 120 re f 0 g "+pdftest.Lines(110, 380, 10, "Figure 3: What the pump lifts")))
}

func TestDrawings(t *testing.T) {
	needs(t, "pdftoppm")
	t.Run("upright", func(t *testing.T) { testDrawing(t, figures()) })
	t.Run("on its side", func(t *testing.T) { testDrawing(t, turnedFigures()) })
}

func testDrawing(t *testing.T, file string) {
	t.Helper()
	text, err := readBy(t.Context(), reader(t), domain.FormatPDF, file)
	if err != nil || len(text.Pictures) != 1 {
		t.Fatalf("%d pictures, warnings %q, error %v", len(text.Pictures), text.Warnings, err)
	}
	p := text.Pictures[0]
	m, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	if p.Caption != "Figure 3: What the pump lifts" || p.Page != 2 || p.Number != 1 || w < 400 || w > 450 || h < 240 || h > 280 || p.Width != w || p.Height != h {
		t.Errorf("picture %d on page %d, %d × %d, caption %q", p.Number, p.Page, w, h, p.Caption)
	}
	for x, want := range map[int]color.RGBA{w / 4: {R: 255, A: 255}, 3 * w / 4: {B: 255, A: 255}} {
		if got := color.RGBAModel.Convert(m.At(x, h/2)); got != want {
			t.Errorf("dot %d is %v, want %v", x, got, want)
		}
	}
}

// TestDrawingsThatFail has pdftoppm draw a file in which it does not find what the parser found.
func TestDrawingsThatFail(t *testing.T) {
	needs(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pdftoppm"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	text, err := readBy(t.Context(), reader(t), domain.FormatPDF, figures())
	if said := strings.Join(text.Warnings, "\n"); err != nil || len(text.Pictures) > 0 || !strings.Contains(said, "1 picture that could not be drawn was left out") || !strings.Contains(text.Content, "Figure 3") {
		t.Errorf("%d pictures, warnings %s, error %v", len(text.Pictures), said, err)
	}
}

// TestScansInOtherCodes reads a page that is an image in JPEG 2000.
func TestScansInOtherCodes(t *testing.T) {
	needs(t, "pdftoppm")
	// The image is damaged, and pdftoppm draws the lines of the page alone.
	image := pdftest.Stream("/Type /XObject /Subtype /Image /Width 40 /Height 60 /Filter /JPXDecode", "dots")
	data := pdftest.Pages([]string{"q 595 0 0 842 0 0 cm /X Do Q 0 g 100 300 20 200 re f 100 480 120 20 re f"}, "/XObject << /X 4 0 R >>", image)
	var drawn []byte
	if _, err := reader(t).Unpack(t.Context(), domain.FormatPDF, domain.Chunking{}, strings.NewReader(data), int64(len(data)), func(name string, r io.Reader) (err error) {
		if drawn, err = io.ReadAll(r); name != "1" {
			t.Errorf("page %s", name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []byte("P5\n2500 3334\n255\n"); !bytes.HasPrefix(drawn, want) || len(drawn) != len(want)+2500*3334 {
		t.Errorf("%d bytes that begin with %q", len(drawn), drawn[:min(len(drawn), 20)])
	}
}
