package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/domain"
)

// Limits of an archive.
const (
	maxWindow  = 32 << 20  // bytes of memory to decompress
	maxHead    = 4 << 20   // bytes of the header and of the end
	maxRow     = 512 << 20 // bytes of one row
	maxEntries = 20_000_000
	maxRatio   = 400      // bytes out allowed per byte in,
	freeBytes  = 64 << 20 // plus these

	freeEntries = 10_000   // entries allowed, plus one per
	perEntry    = 32       // bytes of input: a file's name alone takes more
	freeRow     = 64 << 20 // bytes of a row allowed,
	rowRatio    = 8        // plus this many times the input
	perValue    = 4        // bytes of the header and of the end, per comma
)

// A visitor receives the content of an archive in order. All of it is checked,
// except for the checksum of the entry at hand.
type visitor interface {
	begin(ctx context.Context, h Header) error
	row(ctx context.Context, t Table, values []any) error
	part(ctx context.Context) error // the rows of an entry end
	file(ctx context.Context, w domain.WorkspaceID, hash string, size int64, r io.Reader) error
}

// A reader walks through an archive.
type reader struct {
	tar     *tar.Reader
	visitor visitor
	tables  map[string]Table
	awaited map[fileKey][]Use // files that rows refer to and that haven't been read yet
	sums    []string          // "checksum  name" of the entries so far
	summary Summary
	packed  *bound
	ended   bool // the end's entry has been read
}

// Verify checks a whole archive without writing anything. The error is Invalid
// for a damaged, incomplete or hostile archive, Conflict for a newer format, and
// TooLarge for one beyond the limits. A partial archive may lack files that its rows
// refer to.
func Verify(ctx context.Context, r io.Reader, partial bool) (Summary, error) {
	return read(ctx, r, nothing{}, partial)
}

// nothing is a visitor that keeps nothing.
type nothing struct{}

func (nothing) begin(context.Context, Header) error     { return nil }
func (nothing) row(context.Context, Table, []any) error { return nil }
func (nothing) part(context.Context) error              { return nil }
func (nothing) file(_ context.Context, _ domain.WorkspaceID, _ string, _ int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func read(ctx context.Context, source io.Reader, v visitor, partial bool) (Summary, error) {
	packed := &bound{ctx: ctx, in: source}
	unpacker, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return Summary{}, damaged(err, "The backup can't be unpacked.")
	}
	defer unpacker.Close()
	packed.out = unpacker
	r := &reader{tar: tar.NewReader(readerFunc(packed.unpacked)), visitor: v, packed: packed, tables: map[string]Table{}, awaited: map[fileKey][]Use{}}
	r.summary.Rows = map[string]int64{}
	if err := r.all(ctx); err != nil {
		return Summary{}, explain(err, packed.failed)
	}
	// The tar reader stops at its end mark. The checksum of the compressed data follows it.
	if _, err := io.Copy(io.Discard, readerFunc(packed.unpacked)); err != nil {
		return Summary{}, explain(err, packed.failed)
	}
	r.summary.Packed = packed.read
	if r.summary.Missing = r.missing(); !partial {
		return r.summary, lacking(r.summary.Missing)
	}
	return r.summary, nil
}

// explain gives errors of the tar and zstd readers a sentence. It keeps errors that
// have one, and those of the source.
func explain(err, source error) error {
	switch {
	case source != nil:
		return source
	case domain.KindOf(err) != domain.Internal:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return damaged(err, "The backup is cut off: its end is missing.")
	}
	return err
}

// bound counts the bytes before and after decompression and stops a zip bomb.
type bound struct {
	ctx    context.Context
	in     io.Reader
	out    io.Reader
	read   int64
	given  int64
	failed error // error of the source itself
}

func (b *bound) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		b.failed = err
		return 0, err
	}
	n, err := b.in.Read(p)
	b.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.failed = err
	}
	return n, err
}

func (b *bound) unpacked(p []byte) (int, error) {
	n, err := b.out.Read(p)
	if b.given += int64(n); b.given > freeBytes+maxRatio*b.read {
		return 0, domain.Errorf(domain.TooLarge, "The backup unpacks to more than %d times its size, which no library does. Nothing was changed.", maxRatio)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, damaged(err, "The backup can't be unpacked.")
	}
	return n, err
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// all reads the header, the entries and the checksums.
func (r *reader) all(ctx context.Context) error {
	for n := 0; ; n++ {
		head, err := r.tar.Next()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return unreadable(err)
		}
		if err := plain(head, n); err != nil {
			return err
		}
		if int64(n) > freeEntries+r.packed.read/perEntry {
			return domain.Errorf(domain.TooLarge, "The backup has %d entries in %d KB, which no backup has. Nothing was changed.", n, r.packed.read>>10)
		}
		if head.Name == sumsEntry {
			return r.finish(head)
		}
		sum := sha256.New()
		content := io.TeeReader(r.tar, sum)
		if err := r.entry(ctx, n, head, content); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		r.summary.Bytes += head.Size
		r.sums = append(r.sums, hex.EncodeToString(sum.Sum(nil))+"  "+head.Name)
	}
}

// unreadable explains an error of the tar reader, unless it has a kind or is the end.
func unreadable(err error) error {
	if domain.KindOf(err) != domain.Internal || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return damaged(err, "The backup can't be unpacked.")
}

// plain refuses entries that Write never makes.
func plain(h *tar.Header, n int) error {
	if n >= maxEntries {
		return domain.Errorf(domain.TooLarge, "The backup has more than %d entries. Nothing was changed.", maxEntries)
	}
	sparse := false
	for key := range h.PAXRecords {
		sparse = sparse || strings.HasPrefix(key, "GNU.sparse")
	}
	if h.Typeflag != tar.TypeReg || sparse || h.Size < 0 {
		return damaged(nil, "The backup contains an entry that is not a regular file: %q.", h.Name)
	}
	return nil
}

var (
	partPattern = regexp.MustCompile(`^tables/([a-z][a-z0-9_]{0,62})/([0-9]{6,9})\.jsonl$`)
	filePattern = regexp.MustCompile(`^files/((?:[0-9a-f]{2}){1,256})/([0-9a-f]{64})$`)
)

// entry reads an entry other than the checksums.
func (r *reader) entry(ctx context.Context, n int, h *tar.Header, content io.Reader) error {
	part, file := partPattern.FindStringSubmatch(h.Name), filePattern.FindStringSubmatch(h.Name)
	switch {
	case n == 0 || h.Name == headEntry:
		return r.head(ctx, n, h, content)
	case r.ended:
		return damaged(nil, "The backup continues after its end, with %q.", h.Name)
	case part != nil:
		return r.part(ctx, part[1], content)
	case file != nil:
		return r.file(ctx, file[1], file[2], h.Size, content)
	case h.Name == endEntry:
		return r.end(h, content)
	}
	return damaged(nil, "The backup contains an entry that doesn't belong there: %q.", h.Name)
}

func (r *reader) head(ctx context.Context, n int, h *tar.Header, content io.Reader) error {
	if n != 0 || h.Name != headEntry {
		return damaged(nil, "This file isn't a Clew backup: it doesn't begin like one.")
	}
	if err := decodeEntry(h, content, &r.summary.Header); err != nil {
		return err
	}
	if r.summary.Format > Format {
		return domain.Errorf(domain.Conflict, "The backup was written by a newer version of Clew (format %d; this program reads up to %d). Restore it with that version.", r.summary.Format, Format)
	}
	for _, t := range r.summary.Tables {
		if LeftOut(t.Name) || !partPattern.MatchString(partName(t.Name, 1)) || len(t.Columns) == 0 {
			return damaged(nil, "The backup names an impossible table: %q.", t.Name)
		}
		r.tables[t.Name] = t
	}
	if one := r.summary.Workspace; one != nil && (one.ID == "" || one.Name == "") {
		return damaged(nil, "The backup doesn't name the workspace that it holds.")
	}
	return r.visitor.begin(ctx, r.summary.Header)
}

func decodeEntry(h *tar.Header, content io.Reader, to any) error {
	if h.Size > maxHead {
		return damaged(nil, "The entry %s of the backup is too long.", h.Name)
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if bytes.Count(b, []byte(","))*perValue > len(b) {
		return damaged(nil, "The entry %s of the backup holds too many values.", h.Name)
	}
	if err := json.Unmarshal(b, to); err != nil {
		return damaged(err, "The entry %s of the backup can't be read.", h.Name)
	}
	return nil
}

// part reads rows of a table.
func (r *reader) part(ctx context.Context, name string, content io.Reader) error {
	t, ok := r.tables[name]
	if !ok {
		return damaged(nil, "The backup holds rows of a table that it doesn't name: %q.", name)
	}
	if r.summary.Files > 0 {
		return damaged(nil, "The backup holds rows of %s after its files.", name)
	}
	source, rows := &remembering{r: content}, decoder{}
	columns, owns := columnsOf(t)
	lines := bufio.NewScanner(source)
	lines.Buffer(make([]byte, 0, 64<<10), maxRow)
	lines.Split(r.line)
	for lines.Scan() {
		values, err := rows.row(bytes.TrimSpace(lines.Bytes()), t.Columns)
		if source.err != nil { // the line is truncated
			return source.err
		}
		if err != nil {
			return err
		}
		if owns {
			if err := r.await(columns.use(values)); err != nil {
				return err
			}
		}
		if err := r.visitor.row(ctx, t, values); err != nil {
			return err
		}
		r.summary.Rows[name]++
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return longRow(maxRow)
	} else if err != nil {
		return err
	}
	return r.visitor.part(ctx)
}

// line is bufio.ScanLines, up to a length that depends on what came in: a row is in
// memory several times, and one that is packed well would take a multiple of the archive.
func (r *reader) line(data []byte, atEOF bool) (advance int, token []byte, err error) {
	advance, token, err = bufio.ScanLines(data, atEOF)
	if most := freeRow + rowRatio*r.packed.read; advance == 0 && int64(len(data)) > most {
		return 0, nil, longRow(most)
	}
	return advance, token, err
}

func longRow(most int64) error {
	return domain.Errorf(domain.TooLarge, "The backup holds a row of more than %d MB. Nothing was changed.", most>>20)
}

// remembering keeps the read error: a scanner returns the bytes before it as a
// line first.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// file reads an uploaded file, whose name is the checksum of its content.
func (r *reader) file(ctx context.Context, workspace, hash string, size int64, content io.Reader) error {
	ws, err := hex.DecodeString(workspace)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := r.visitor.file(ctx, domain.WorkspaceID(ws), hash, size, io.TeeReader(content, sum)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return damaged(nil, "The file %s in the backup has been altered.", hash)
	}
	r.summary.Files++
	delete(r.awaited, fileKey{domain.WorkspaceID(ws), hash})
	return nil
}

// end compares the counts with the end's.
func (r *reader) end(h *tar.Header, content io.Reader) error {
	var end End
	if err := decodeEntry(h, content, &end); err != nil {
		return err
	}
	for _, t := range r.summary.Tables {
		if got, want := r.summary.Rows[t.Name], end.Rows[t.Name]; got != want {
			return damaged(nil, "The backup holds %d rows of %s and should hold %d.", got, t.Name, want)
		}
	}
	if r.summary.Files != end.Files {
		return damaged(nil, "The backup holds %d files and should hold %d.", r.summary.Files, end.Files)
	}
	r.summary.Gone, r.summary.Lost, r.ended = end.Gone, end.Lost, true
	return nil
}

// finish compares the checksums of all entries with the last entry's list.
func (r *reader) finish(h *tar.Header) error {
	if !r.ended {
		return damaged(nil, "The backup has no end marker.")
	}
	whole := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r.tar, whole))
	n := 0
	for ; lines.Scan(); n++ {
		if n >= len(r.sums) || lines.Text() != r.sums[n] {
			name := "number " + strconv.Itoa(n+1)
			if n < len(r.sums) {
				_, name, _ = strings.Cut(r.sums[n], "  ")
			}
			return damaged(nil, "The checksum of the backup's entry %s is wrong.", name)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if n != len(r.sums) {
		return damaged(nil, "The backup's list of checksums is cut off.")
	}
	if next, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		if err != nil {
			return unreadable(err)
		}
		return damaged(nil, "The backup continues after its checksums, with %q.", next.Name)
	}
	r.summary.Sum = hex.EncodeToString(whole.Sum(nil))
	r.summary.Bytes += h.Size
	return nil
}
