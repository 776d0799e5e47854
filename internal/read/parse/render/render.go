// Package render has system programs draw formats that this program can't decode: photos in HEIC and
// AVIF, by heif-convert, and parts of pages of PDF files, by pdftoppm: line drawings, and images in
// JPEG 2000 and JBIG2.
//
// The files come from strangers, so each program is confined, see child.Become, in its own folder. Its
// output is trusted no more than the file: a child decodes it.
package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
)

// A Reader is a pool of parsers that has a program draw what they can't decode of PDF files. It is safe for concurrent use.
type Reader struct {
	*child.Pool
	tool
}

// New returns a Reader over a pool, whose texts may have pictures to draw if Draws says so. Confine is the command that becomes
// a program, see Confine.
func New(pool *child.Pool, confine []string, log *slog.Logger) *Reader {
	return &Reader{pool, tool{Draws(), confine, log}}
}

// Photos is a parser that has a program convert photos in the formats HEIC and AVIF before it reads them. It is safe for concurrent
// use.
type Photos struct {
	child.Parser
	confine []string
	log     *slog.Logger
}

// NewPhotos returns Photos over a parser. Confine is the command that becomes a program, see Confine.
func NewPhotos(parser child.Parser, confine []string, log *slog.Logger) *Photos {
	return &Photos{parser, confine, log}
}

// A tool is a program of the system.
type tool struct {
	program string   // its path; "" if it is not installed or can't be confined
	confine []string // starts a process that calls child.Become with the arguments from Confine
	log     *slog.Logger
}

// Converts returns the program that converts photos in the formats HEIC and AVIF, or "" if none is installed, or it can't be
// confined on this system.
func Converts() string { return installed("heif-convert", "heif-dec") }

// Draws returns the program that draws parts of pages, or "" if it is not installed, or it can't be confined on this system.
func Draws() string { return installed("pdftoppm") }

// installed returns the path of the first program that is installed.
func installed(programs ...string) string {
	if !child.Confines() {
		return ""
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// The bounds of a program that draws.
const (
	timeout   = time.Minute
	memory    = 1 << 30  // bytes of address space
	maxDrawn  = 64 << 20 // bytes of a picture
	maxSaid   = 4096     // bytes of its messages
	allOfOne  = 2 * time.Minute
	jpegGrade = "92"
	scanDots  = 300 // per inch of a page to be recognised
)

// Confine becomes the program that the arguments name, which come after it. The first argument is its memory in bytes.
func Confine(args []string) error {
	if len(args) < 2 {
		return errors.New("which program, and with how much memory?")
	}
	most, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("bytes of memory: %w", err)
	}
	return child.Become(most, args[1], args[2:]...)
}

// A folder holds a file, and what a tool makes of it.
type folder struct {
	tool
	path string
}

// within calls do with a folder that holds a file, and removes it.
func (t tool) within(name string, file io.Reader, size int64, do func(folder) error) error {
	path, held, err := reserve()
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer held.Close()
	defer os.RemoveAll(path)
	f, err := os.OpenFile(filepath.Join(path, name), os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	_, err = io.Copy(f, io.LimitReader(file, size))
	if err == nil && name == photoName {
		err = primaryOnly(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	return do(folder{t, path})
}

// run runs the program in the folder. The error is that of ctx, or explains why the program failed.
func (f folder) run(ctx context.Context, args ...string) error {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	command := slices.Concat(f.confine, []string{strconv.Itoa(memory), f.program}, args)
	cmd := exec.CommandContext(timed, command[0], command[1:]...) //nolint:gosec // it is this program
	said := child.Bounded{Most: maxSaid}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = f.path, []string{"PATH=" + os.Getenv("PATH")}, &said, &said, time.Second
	cmd.SysProcAttr = child.Apart()
	runtime.LockOSThread() // Linux ends the program with this thread
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", filepath.Base(f.program), err)
	}
	child.MakeWay(cmd.Process.Pid)
	err := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		return fmt.Errorf("%s: it took longer than %s", filepath.Base(f.program), timeout)
	case err != nil:
		return fmt.Errorf("%s: %w: %s", filepath.Base(f.program), err, strings.ToValidUTF8(said.String(), "?"))
	}
	return nil
}

// read returns a file that a program has made in the folder. It follows no link.
func (f folder) read(name string) ([]byte, error) {
	path := filepath.Join(f.path, name)
	is, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !is.Mode().IsRegular() || is.Size() > maxDrawn {
		return nil, fmt.Errorf("%s is not a regular file or is too large", name)
	}
	return os.ReadFile(path)
}

// Parse reads a file as child.Pool.Parse does, and draws the pictures of a PDF that have to be drawn.
func (r *Reader) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error) {
	if format != domain.FormatPDF {
		return r.Pool.Parse(ctx, format, how, file, size, large)
	}
	seeker, err := child.Again(file, size)
	if err != nil {
		return domain.Text{}, err
	}
	text, err := r.Pool.Parse(ctx, format, how, seeker, size, large)
	if err != nil || !slices.ContainsFunc(text.Pictures, parse.IsUndrawn) {
		return text, err
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return text, fmt.Errorf("read a file: %w", err)
	}
	return r.pictures(ctx, text, seeker, size)
}

// Unpack is like child.Pool.Unpack. Pages of a PDF whose images a child can't decode are drawn.
func (r *Reader) Unpack(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error) {
	if format == domain.FormatPDF && r.program != "" {
		return r.scans(ctx, how, file, size, each)
	}
	return r.Pool.Unpack(ctx, format, how, file, size, each)
}

// photoName is the name of a photo while it is converted.
const photoName = "photo.heic"

// Parse reads a file as the parser does, a photo once it is converted.
func (p *Photos) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error) {
	if format != domain.FormatImage {
		return p.Parser.Parse(ctx, format, how, file, size, large)
	}
	seeker, err := child.Again(file, size)
	if err != nil {
		return domain.Text{}, err
	}
	var head [32]byte
	n, _ := io.ReadFull(seeker, head[:]) // a shorter file is not a photo
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return domain.Text{}, fmt.Errorf("read a file: %w", err)
	}
	if file = seeker; parse.IsHEIC(head[:n]) {
		if file, size, err = p.converted(ctx, seeker, size); err != nil {
			return domain.Text{}, err
		}
	}
	return p.Parser.Parse(ctx, format, how, file, size, large)
}

// converted returns a photo as an image that a child can decode, or as it is where no program is installed: the child names it.
func (p *Photos) converted(ctx context.Context, photo io.Reader, size int64) (io.Reader, int64, error) {
	if !child.Confines() {
		return nil, 0, domain.Errorf(domain.Unsupported, "Photos in the formats HEIC and AVIF are read by heif-convert, which Clew starts only where it can confine it: on Linux with Landlock. Export this one as JPEG and add that.")
	}
	convert := tool{Converts(), p.confine, p.log}
	if convert.program == "" {
		return photo, size, nil
	}
	var data []byte
	err := convert.within(photoName, photo, size, func(f folder) (err error) {
		if err = f.run(ctx, "-q", jpegGrade, photoName, "photo.jpg"); err != nil {
			return err
		}
		data, err = f.read("photo.jpg")
		return err
	})
	if err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "convert a photo", "err", err)
		err = domain.Because(domain.Invalid, err, "This photo is damaged, too large, or coded in a way that %s does not read. Open it in another program, save it as JPEG, and add that.", filepath.Base(convert.program))
	}
	return bytes.NewReader(data), int64(len(data)), err
}

// pictures draws the pictures of a PDF that have to be drawn, and leaves out those that can't be.
func (r *Reader) pictures(ctx context.Context, text domain.Text, file io.Reader, size int64) (domain.Text, error) {
	timed, cancel := context.WithTimeout(ctx, allOfOne)
	defer cancel()
	failed, bytes := 0, lists.Sum(text.Pictures, func(p domain.Picture) int { return len(p.Data) })
	var kept []domain.Picture
	err := r.within("file.pdf", file, size, func(f folder) error {
		for _, p := range text.Pictures {
			if parse.IsUndrawn(p) {
				drawn, err := r.picture(timed, f, p)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if bytes += len(drawn.Data); err != nil || bytes > parse.MaxPictureBytes {
					r.log.WarnContext(ctx, "draw a picture", "page", p.Page, "err", err)
					failed++
					continue
				}
				p = drawn
			}
			p.Number = len(kept) + 1
			kept = append(kept, p)
		}
		return nil
	})
	if failed > 0 {
		text.Warnings = append(text.Warnings, fmt.Sprintf("%s left out.", domain.Counted(failed, "picture that could not be drawn was", "pictures that could not be drawn were")))
	}
	text.Pictures = kept
	return text, err
}

// picture draws a picture of the PDF in a folder, and has a child decode what was drawn.
func (r *Reader) picture(ctx context.Context, f folder, p domain.Picture) (domain.Picture, error) {
	data, err := f.part(ctx, p)
	if err != nil {
		return p, err
	}
	image, err := r.Pool.Parse(ctx, domain.FormatImage, domain.Chunking{}, bytes.NewReader(data), int64(len(data)), func() error { return nil })
	if err != nil {
		return p, err
	}
	if len(image.Pictures) != 1 {
		return p, errors.New("nothing was drawn")
	}
	drawn := image.Pictures[0]
	p.Data, p.Media, p.Width, p.Height = drawn.Data, drawn.Media, drawn.Width, drawn.Height
	return p, nil
}

// part draws the place of a picture on its page, as a PNG.
func (f folder) part(ctx context.Context, p domain.Picture) ([]byte, error) {
	width, height := float64(p.Width)/(p.Box[2]-p.Box[0]), float64(p.Height)/(p.Box[3]-p.Box[1]) // of the page
	whole := func(v float64) string { return strconv.Itoa(int(v + 0.5)) }
	if !(width < maxSide && height < maxSide) {
		return nil, errors.New("the place of the picture is too small")
	}
	page := strconv.Itoa(p.Page)
	err := f.run(ctx, "-f", page, "-l", page, "-cropbox", "-scale-to", whole(max(width, height)), // either side of a rotated page
		"-x", whole(p.Box[0]*width), "-y", whole(p.Box[1]*height), "-W", strconv.Itoa(p.Width), "-H", strconv.Itoa(p.Height), "-singlefile", "-png", "file.pdf", "part")
	if err != nil {
		return nil, err
	}
	return f.read("part.png")
}

// maxSide is the largest page that is drawn, in pixels.
const maxSide = 20_000

// scans passes on the pages of a PDF that are images, those that a child can't decode as pdftoppm draws them.
func (r *Reader) scans(ctx context.Context, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error) {
	seeker, err := child.Again(file, size)
	if err != nil {
		return nil, err
	}
	var left []string // what the child can't decode
	others, err := r.Pool.Unpack(ctx, domain.FormatPDF, how, seeker, size, func(name string, picture io.Reader) error {
		dots, decoded := child.Holds(picture)
		if !decoded {
			left = append(left, name)
			return nil
		}
		return each(name, dots)
	})
	if err != nil || len(left) == 0 {
		return others, err
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return others, fmt.Errorf("read a file: %w", err)
	}
	return others, r.within("file.pdf", seeker, size, func(f folder) error {
		for _, name := range left {
			page, err := f.page(ctx, name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.log.WarnContext(ctx, "draw a page", "page", name, "err", err)
			}
			if err := each(name, bytes.NewReader(page)); err != nil {
				return err
			}
		}
		return nil
	})
}

// page draws a page in grey, as a PGM. The error says that nothing but such a picture was drawn.
func (f folder) page(ctx context.Context, number string) ([]byte, error) {
	err := f.run(ctx, "-f", number, "-l", number, "-cropbox", "-r", strconv.Itoa(scanDots), "-gray", "-singlefile", "file.pdf", "page")
	if err != nil {
		return nil, err
	}
	data, err := f.read("page.pgm")
	if err != nil {
		return nil, err
	}
	var width, height int
	head, _, _ := bytes.Cut(data, []byte("\n255\n"))
	if n, err := fmt.Sscanf(string(head[:min(len(head), 40)]), "P5\n%d %d", &width, &height); n != 2 || err != nil || width < 1 || height < 1 || width > maxDrawn/height ||
		len(data) != len(head)+len("\n255\n")+width*height {
		return nil, errors.New("pdftoppm did not write a grayscale picture of the page")
	}
	return data, nil
}

// folders matches the names of the folders in which programs draw.
const folders = "clew-render-*"

// reserve makes a folder and holds it until held is closed.
func reserve() (path string, held io.Closer, err error) {
	for range 3 { // Sweep in another process may remove a folder before it is locked
		if path, err = os.MkdirTemp("", folders); err != nil {
			return "", nil, err
		}
		if held, err = hold(path); err == nil {
			return path, held, nil
		}
	}
	return "", nil, err
}

// Sweep removes the folders of processes that were killed. Each holds a copy of a file.
func Sweep(log *slog.Logger) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), folders)) // the pattern is well formed
	for _, path := range left {
		held, err := hold(path)
		if err != nil { // a running process draws in it, or it belongs to another user
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			log.Warn("remove a folder that a killed process left behind", "path", path, "err", err)
		}
		_ = held.Close()
	}
}
