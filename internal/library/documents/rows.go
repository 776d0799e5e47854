package documents

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Rows is a FileStore in the tables uploads, upload_parts and uploaded_files of an SQL database, for processes that share no
// folder.
type Rows struct {
	writer, reader *sql.DB
	now            domain.Clock
	explain        func(error) error
}

var _ FileStore = (*Rows)(nil)

// partSize is the number of bytes in a row, and the most that is in memory.
const partSize = 1 << 20

// NewRows returns a store in a migrated database; explain translates the database's errors into domain errors. It removes
// unfinished uploads of killed processes.
func NewRows(ctx context.Context, writer, readers *sql.DB, now func() time.Time, explain func(error) error) (*Rows, error) {
	f := &Rows{writer: writer, reader: readers, now: now, explain: explain}
	_, err := writer.ExecContext(ctx, `DELETE FROM uploads WHERE at < ? AND NOT EXISTS (SELECT 1 FROM uploaded_files f WHERE f.upload = uploads.number)`,
		sqlio.Millis(now().Add(-staleAfter)))
	return f, explain(err)
}

// Put implements FileStore. It holds no transaction and no connection while it reads r.
func (f *Rows) Put(ctx context.Context, w domain.WorkspaceID, r io.Reader, limit int64) (s Stored, err error) {
	err = f.upload(ctx, w, func(p *parts) (string, error) {
		s, err = receive(ctx, p, r, limit)
		return s.Hash, err
	})
	if err != nil {
		return Stored{}, err
	}
	return s, nil
}

// Keep implements FileStore.
func (f *Rows) Keep(ctx context.Context, w domain.WorkspaceID, hash string, r io.Reader) error {
	return f.upload(ctx, w, func(p *parts) (string, error) {
		_, err := io.Copy(p, r)
		return hash, err
	})
}

// upload stores what write writes under the hash that write returns. A file that fails or exists already leaves nothing.
func (f *Rows) upload(ctx context.Context, w domain.WorkspaceID, write func(*parts) (string, error)) error {
	ctx = context.WithoutCancel(ctx) // reading fails if a client disconnects
	p := &parts{ctx: ctx, files: f, workspace: w, buffer: make([]byte, 0, partSize)}
	err := f.writer.QueryRowContext(ctx, `INSERT INTO uploads (workspace_id, at) VALUES (?, ?) RETURNING number`, w, sqlio.Millis(f.now())).Scan(&p.number)
	if err != nil {
		return f.explain(err)
	}
	hash, err := write(p)
	if err == nil {
		err = p.flush()
	}
	kept := false
	if err == nil {
		kept, err = f.keep(ctx, w, hash, p)
	}
	if !kept {
		err = errors.Join(err, f.drop(ctx, p.number))
	}
	return f.explain(err)
}

// keep stores an upload under its hash, unless there is such a file already.
func (f *Rows) keep(ctx context.Context, w domain.WorkspaceID, hash string, p *parts) (bool, error) {
	return sqlio.Changed(f.writer.ExecContext(ctx, `INSERT INTO uploaded_files (workspace_id, hash, upload, size) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, hash) DO NOTHING`, w, hash, p.number, p.size))
}

func (f *Rows) drop(ctx context.Context, number int64) error {
	_, err := f.writer.ExecContext(ctx, `DELETE FROM uploads WHERE number = ?`, number)
	return err
}

// Read implements FileStore.
func (f *Rows) Read(ctx context.Context, w domain.WorkspaceID, hash string) ([]byte, error) {
	r, size, err := f.Open(ctx, w, hash)
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = io.ReadFull(r, b)
	return b, errors.Join(err, r.Close())
}

// Open implements FileStore.
func (f *Rows) Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error) {
	r := &partReader{ctx: ctx, files: f}
	err := f.reader.QueryRowContext(ctx, `SELECT f.upload, f.size, COALESCE(p.data, '') FROM uploaded_files f LEFT JOIN upload_parts p ON p.upload = f.upload AND p.part = 0
		WHERE f.workspace_id = ? AND f.hash = ?`, w, hash).Scan(&r.number, &r.size, &r.buffer)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, gone(err)
	}
	return r, r.size, f.explain(err)
}

func gone(err error) error {
	return domain.Because(domain.NotFound, err, "The uploaded file is no longer in the library. Add it again.")
}

// Remove implements FileStore.
func (f *Rows) Remove(ctx context.Context, w domain.WorkspaceID, hash string) error {
	_, err := f.writer.ExecContext(ctx, `DELETE FROM uploads WHERE number IN (SELECT upload FROM uploaded_files WHERE workspace_id = ? AND hash = ?)`, w, hash)
	return f.explain(err)
}

// Clear implements FileStore.
func (f *Rows) Clear(ctx context.Context, w domain.WorkspaceID) error {
	for {
		done, err := f.writer.ExecContext(ctx, `DELETE FROM uploads WHERE number IN (SELECT number FROM uploads WHERE workspace_id = ? ORDER BY number LIMIT ?)`, w, clearedAtOnce)
		if err != nil {
			return f.explain(err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return f.explain(err)
		}
	}
}

// clearedAtOnce is how many files a statement deletes.
const clearedAtOnce = 20

// Each implements FileStore.
func (f *Rows) Each(ctx context.Context, w domain.WorkspaceID, do func(hash string, stored time.Time) error) error {
	return f.explain(sqlio.Each(ctx, f.reader, func(rows *sql.Rows) error {
		var hash string
		var at int64
		if err := rows.Scan(&hash, &at); err != nil {
			return err
		}
		return do(hash, sqlio.Time(at))
	}, `SELECT f.hash, u.at FROM uploaded_files f JOIN uploads u ON u.number = f.upload WHERE f.workspace_id = ? ORDER BY f.hash`, w))
}

// parts writes a file row by row.
type parts struct {
	ctx       context.Context
	files     *Rows
	workspace domain.WorkspaceID
	number    int64 // of the upload
	part      int
	size      int64
	buffer    []byte
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		n := min(len(b), partSize-len(p.buffer))
		p.buffer = append(p.buffer, b[:n]...)
		b = b[n:]
		if len(p.buffer) == partSize {
			if err := p.flush(); err != nil {
				return written, err
			}
		}
		written += n
	}
	return written, nil
}

// flush writes the buffer as a row.
func (p *parts) flush() error {
	if len(p.buffer) == 0 {
		return nil
	}
	db := p.files.writer
	_, err := db.ExecContext(p.ctx, `INSERT INTO upload_parts (workspace_id, upload, part, data) VALUES (?, ?, ?, ?)`, p.workspace, p.number, p.part, p.buffer)
	if err == nil {
		_, err = db.ExecContext(p.ctx, `UPDATE uploads SET at = ? WHERE number = ?`, sqlio.Millis(p.files.now()), p.number)
	}
	p.part++
	p.size += int64(len(p.buffer))
	p.buffer = p.buffer[:0]
	return err
}

// partReader reads a file row by row, without a transaction. Every row but the last holds partSize bytes.
type partReader struct {
	ctx    context.Context
	files  *Rows
	number int64
	size   int64
	at     int64  // of the next byte to read
	buffer []byte // from there to the end of the row; empty if not read yet
}

// Read implements io.Reader.
func (r *partReader) Read(b []byte) (int, error) {
	if len(r.buffer) == 0 {
		if r.at >= r.size {
			return 0, io.EOF
		}
		var row []byte
		err := r.files.reader.QueryRowContext(r.ctx, `SELECT data FROM upload_parts WHERE upload = ? AND part = ?`, r.number, r.at/partSize).Scan(&row)
		if errors.Is(err, sql.ErrNoRows) { // removed in the meantime
			return 0, gone(err)
		}
		if err != nil {
			return 0, r.files.explain(err)
		}
		if r.at%partSize >= int64(len(row)) {
			return 0, io.ErrUnexpectedEOF
		}
		r.buffer = row[r.at%partSize:]
	}
	n := copy(b, r.buffer)
	r.buffer = r.buffer[n:]
	r.at += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (r *partReader) Seek(offset int64, whence int) (int64, error) {
	to := offset + map[int]int64{io.SeekStart: 0, io.SeekCurrent: r.at, io.SeekEnd: r.size}[whence]
	if to < 0 {
		return r.at, errors.New("seek before the beginning of a file")
	}
	if to != r.at {
		r.at, r.buffer = to, nil
	}
	return to, nil
}

// Close implements io.Closer.
func (r *partReader) Close() error { return nil }
