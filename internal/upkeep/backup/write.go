package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/migrations"
)

// partSize is the size in bytes from which rows make an entry.
const partSize = 4 << 20

// Files opens an uploaded file and returns its length in bytes, or an error of
// kind NotFound.
type Files interface {
	Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error)
}

// A Source is the library to back up. All fields but One and Progress are required.
type Source struct {
	DB       *sql.DB // only read
	Program  string
	Files    Files
	Now      domain.Clock
	One      string                          // name of the only workspace to back up; "" for all and the installation
	Progress func(entry string, bytes int64) // called after every entry with the bytes so far; may be nil
}

// Write writes a backup of the source to w. The source may be used meanwhile: all
// rows are from the moment when Write begins. It writes nothing of a database with damaged pages.
func Write(ctx context.Context, w io.Writer, s Source) (Summary, error) {
	schema, err := migrations.State(ctx, s.DB)
	if err != nil {
		return Summary{}, err
	}
	snapshot, postgres := &sql.TxOptions{ReadOnly: true}, sqlio.DialectOf(s.DB).Postgres
	if postgres { // SQLite's transactions see one state however long they read
		snapshot.Isolation = sql.LevelRepeatableRead
	}
	tx, err := s.DB.BeginTx(ctx, snapshot)
	if err != nil {
		return Summary{}, fmt.Errorf("begin a snapshot: %w", err)
	}
	defer tx.Rollback()
	if !postgres {
		if err := sqlite.Sound(ctx, tx, "clew.db"); err != nil {
			return Summary{}, err
		}
	}
	one, err := s.one(ctx, tx)
	if err != nil {
		return Summary{}, err
	}
	out, err := newWriter(w, s)
	if err != nil {
		return Summary{}, err
	}
	out.summary.Workspace = one
	if err := out.all(ctx, tx, schema.Database); err != nil {
		return Summary{}, errors.Join(fmt.Errorf("write a backup: %w", err), out.packer.Close())
	}
	return out.close()
}

// A writer writes an archive.
type writer struct {
	Source
	count   *counter
	packer  *zstd.Encoder
	tar     *tar.Writer
	sums    bytes.Buffer
	summary Summary
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func newWriter(w io.Writer, s Source) (*writer, error) {
	out := &writer{Source: s, count: &counter{w: w}}
	var err error
	out.packer, err = zstd.NewWriter(out.count, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	if err != nil {
		return nil, fmt.Errorf("begin to pack: %w", err)
	}
	out.tar = tar.NewWriter(out.packer)
	out.summary.Rows = map[string]int64{}
	return out, nil
}

func (w *writer) all(ctx context.Context, tx *sql.Tx, schema int64) error {
	tables, err := Tables(ctx, w.DB, tx)
	if err != nil {
		return err
	}
	w.summary.Header = Header{Format: formatOfAll, Schema: schema, Program: w.Program, Made: w.Now().UTC(), Tables: tables, Workspace: w.summary.Workspace}
	var where map[string]selection
	if one := w.summary.Workspace; one != nil {
		w.summary.Format = Format
		if w.summary.Tables, where, err = one.of(tables); err != nil {
			return err
		}
	}
	if err := w.json(headEntry, w.summary.Header); err != nil {
		return err
	}
	for _, t := range w.summary.Tables {
		if err := w.table(ctx, tx, t, where[t.Name]); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if err := w.files(ctx, tx); err != nil {
		return err
	}
	return w.json(endEntry, w.summary.End)
}

// one returns the only workspace to back up, nil for all. It fails with kind NotFound if there is none of that name.
func (s Source) one(ctx context.Context, q sqlio.Querier) (*One, error) {
	if s.One == "" {
		return nil, nil //nolint:nilnil // there may be no such choice
	}
	found, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (o One, err error) {
		return o, rows.Scan(&o.ID, &o.Name, &o.Title)
	}, `SELECT id, name, title FROM workspaces WHERE name = ?`, s.One)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, domain.Errorf(domain.NotFound, "There is no workspace %q.", s.One)
	}
	return &found[0], nil
}

// table writes the rows of a table in parts.
func (w *writer) table(ctx context.Context, tx *sql.Tx, t Table, s selection) error {
	var part bytes.Buffer
	parts := 0
	flush := func() error {
		parts++
		err := w.bytes(partName(t.Name, parts), part.Bytes())
		part.Reset()
		return err
	}
	values, fields := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		fields[i] = &values[i]
	}
	w.summary.Rows[t.Name] = 0
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if err := encodeRow(&part, values); err != nil {
			return err
		}
		w.summary.Rows[t.Name]++
		if part.Len() < partSize {
			return nil
		}
		return flush()
	}, `SELECT `+w.summary.Workspace.list(t)+` FROM `+quoted(t.Name)+s.where(), s.args...)
	if err != nil || part.Len() == 0 {
		return err
	}
	return flush()
}

func partName(table string, n int) string { return fmt.Sprintf("tables/%s/%06d.jsonl", table, n) }

// files writes every uploaded file that a row refers to, once.
func (w *writer) files(ctx context.Context, tx *sql.Tx) error {
	var missing []Use
	var last fileKey
	var found bool
	all, args := uses(w.summary.Tables, w.summary.Workspace)
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		u, err := scanUse(rows)
		if err != nil {
			return err
		}
		if k := (fileKey{u.Workspace, u.Hash}); k != last {
			last = k
			if found, err = w.file(ctx, u.Workspace, u.Hash); err != nil {
				return err
			}
		}
		if !found {
			missing = append(missing, u)
		}
		return nil
	}, all, args...)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	for _, u := range missing {
		if err := w.unfound(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// file writes an uploaded file, and reports whether there is one.
func (w *writer) file(ctx context.Context, ws domain.WorkspaceID, hash string) (bool, error) {
	r, size, err := w.Files.Open(ctx, ws, hash)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	w.summary.Files++
	return true, w.entry(fileName(ws, hash), size, io.LimitReader(r, size))
}

func fileName(ws domain.WorkspaceID, hash string) string {
	return "files/" + hex.EncodeToString([]byte(ws)) + "/" + hash
}

func (w *writer) json(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.bytes(name, append(b, '\n'))
}

func (w *writer) bytes(name string, b []byte) error {
	return w.entry(name, int64(len(b)), bytes.NewReader(b))
}

// entry writes one entry and records its checksum.
func (w *writer) entry(name string, size int64, r io.Reader) error {
	head := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.summary.Made.Truncate(time.Second)}
	if err := w.tar.WriteHeader(head); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), r); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	fmt.Fprintf(&w.sums, "%x  %s\n", sum.Sum(nil), name)
	w.summary.Bytes += size
	if w.Progress != nil {
		w.Progress(name, w.summary.Bytes)
	}
	return nil
}

// close writes the checksums and ends the archive.
func (w *writer) close() (Summary, error) {
	sums := bytes.Clone(w.sums.Bytes())
	whole := sha256.Sum256(sums)
	w.summary.Sum = hex.EncodeToString(whole[:])
	if err := w.bytes(sumsEntry, sums); err != nil {
		return Summary{}, errors.Join(err, w.packer.Close())
	}
	if err := errors.Join(w.tar.Close(), w.packer.Close()); err != nil {
		return Summary{}, fmt.Errorf("end a backup: %w", err)
	}
	w.summary.Packed = w.count.n
	return w.summary, nil
}

// abandoned is the age at which an unfinished file must belong to a killed process.
const abandoned = 24 * time.Hour

// ToFile writes a backup to a file, which appears under its name only when it is
// complete and on disk. The error is Conflict when there is such a file and
// replace is false.
func ToFile(ctx context.Context, path string, s Source, replace bool) (Summary, error) {
	if _, err := os.Stat(path); err == nil && !replace {
		return Summary{}, domain.Errorf(domain.Conflict, "There is already a file %s. Choose another name, or replace it with --force.", path)
	}
	sweep(path, s.Now())
	var summary Summary
	err := atomicfile.Write(path, func(w io.Writer) (err error) {
		summary, err = Write(ctx, w, s)
		return err
	})
	if err != nil {
		return Summary{}, storage(err, path)
	}
	return summary, storage(syncPath(filepath.Dir(path)), path)
}

// sweep removes unfinished backups of killed processes, as far as it can.
func sweep(path string, now time.Time) {
	left, err := filepath.Glob(atomicfile.Unfinished(path))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// storage explains why a backup could not be written.
func storage(err error, path string) error {
	switch {
	case err == nil || domain.KindOf(err) != domain.Internal:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return domain.Because(domain.Exhausted, err, "There is not enough space for the backup at %s. Nothing was left behind. Free some space and try again.", path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: the folder is not writable.", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return domain.Because(domain.Invalid, err, "The backup can't be written to %s: there is no such folder.", path)
	}
	return err
}
