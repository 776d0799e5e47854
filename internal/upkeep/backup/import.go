package backup

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/migrations"
)

// besideSchema is the Postgres schema in which the rows of an archive are brought up to date, and besideName names that
// database in SQLite.
const (
	besideSchema = "clew_moved"
	besideName   = "moved"
)

// A Host is the program whose library a workspace is added to.
type Host interface {
	// FolderBeside makes a folder for a temporary database, and returns a function that removes it.
	FolderBeside() (dir string, remove func() error, err error)
	// SyncFiles syncs the files of a workspace to disk.
	SyncFiles(w domain.WorkspaceID) error
	// CheckName returns an error if a workspace can't have the name.
	CheckName(name string) error
	// Explain translates errors of the database.
	Explain(err error) error
}

// An Importer adds workspaces of archives to a library that is in use. All fields are required, but Marks.
type Importer struct {
	Host           Host
	Writer, Reader *sql.DB
	Postgres       string // its address; "" for SQLite
	Files          interface {
		Store
		Remove(ctx context.Context, w domain.WorkspaceID, hash string) error
	}
	Marks []string // settings that a new workspace gets, with value 1
	Now   domain.Clock
}

// Imported describes a workspace that was added.
type Imported struct {
	ID        domain.WorkspaceID `json:"-"`
	Name      string             `json:"name"`
	Title     string             `json:"title"`
	Documents int64              `json:"documents"`
	Files     int                `json:"files"`
	Strangers []string           `json:"members_left_out"` // members without an account here
	Missing   []string           `json:"missing"`          // files missing from the archive
}

// Told describes what was added and left out, in sentences.
func (i Imported) Told() string {
	said := "Added the workspace " + i.Name + " (" + i.Title + ") with " + domain.Counted(int(i.Documents), "document", "documents") + "."
	if len(i.Strangers) > 0 {
		said += " These members have no account here and were left out: " + strings.Join(i.Strangers, ", ") + "."
	}
	if n := len(i.Missing); n > 0 {
		said += " The backup lacked " + domain.Counted(n, "uploaded file", "uploaded files") + ": " + strings.Join(i.Missing[:min(n, 5)], ", ") + "."
	}
	return said
}

// Import adds the workspace of an archive under a name, by default its own, while the library is in use. Documents, passages,
// answers and the graph keep their ids. Its members are those who have an account of the same name here. After an error,
// and if the program is killed, the library is as it was. The error is Invalid for an archive that is damaged or holds no
// single workspace, and Conflict if the name is taken, or the library has the workspace already.
func (i Importer) Import(ctx context.Context, archive io.ReadSeeker, name string, partial bool) (Imported, error) {
	summary, err := Verify(ctx, archive, partial)
	if err != nil {
		return Imported{}, err
	}
	if summary.Workspace == nil {
		return Imported{}, domain.Errorf(domain.Invalid, "This backup holds a whole library, not one workspace. Restore it into an empty data folder with clew restore, or make a backup of one workspace with clew backup --workspace NAME.")
	}
	j := Joining{From: *summary.Workspace, Name: cmp.Or(name, summary.Workspace.Name), Marks: i.Marks, Now: i.Now()}
	if err := i.Host.CheckName(j.Name); err != nil {
		return Imported{}, err
	}
	if j.As, err = Home(ctx, i.Reader, summary); err != nil {
		return Imported{}, i.Host.Explain(err)
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return Imported{}, fmt.Errorf("read the backup again: %w", err)
	}
	files := &homing{Importer: i, home: j.As}
	var joined Joined
	err = i.beside(ctx, func(db *sql.DB, schema string) error {
		j.Beside = schema
		return i.stage(ctx, db, archive, partial, files)
	}, func(tx *sql.Tx) (err error) {
		if err := i.Host.SyncFiles(j.As); err != nil {
			return err
		}
		joined, err = Join(ctx, i.Writer, tx, j)
		return err
	})
	if err != nil {
		return Imported{}, errors.Join(i.Host.Explain(err), files.remove(context.WithoutCancel(ctx)))
	}
	done := Imported{ID: j.As, Name: j.Name, Title: j.From.Title, Documents: summary.Count("documents"), Files: summary.Files, Strangers: joined.Strangers, Missing: []string{}}
	for _, u := range summary.Missing {
		done.Missing = append(done.Missing, u.Name)
	}
	return done, nil
}

// homing keeps the files of an archive for the workspace that they come to.
type homing struct {
	Importer
	home domain.WorkspaceID
	kept []string
}

// Keep implements Store.
func (h *homing) Keep(ctx context.Context, _ domain.WorkspaceID, hash string, r io.Reader) error {
	h.kept = append(h.kept, hash)
	return h.Files.Keep(ctx, h.home, hash, r)
}

// remove removes what was kept, unless another import has added the workspace.
func (h *homing) remove(ctx context.Context) error {
	here, err := sqlio.Value[int](ctx, h.Reader, `SELECT COUNT(*) FROM workspaces WHERE id = ?`, h.home)
	if err != nil || here > 0 {
		return err
	}
	errs := lists.Map(h.kept, func(hash string) error { return h.Files.Remove(ctx, h.home, hash) })
	return errors.Join(errs...)
}

// stage fills an empty database with the rows of an archive and brings them to the program's schema.
func (i Importer) stage(ctx context.Context, db *sql.DB, archive io.Reader, partial bool, files Store) error {
	summary, err := Restore(ctx, archive, Target{DB: db, Partial: partial, Files: func(context.Context) (Store, error) { return files, nil }})
	if err != nil {
		return err
	}
	if err := migrations.Up(ctx, db); err != nil {
		return err
	}
	l := ledger.Open(db, db, i.Now, ledger.WithKey(prose.Key), ledger.WithExplain(i.Host.Explain))
	for _, r := range summary.Gone {
		if err := RemoveGone(ctx, l, r); err != nil {
			return err
		}
	}
	return nil
}

// RemoveGone removes a document, or an earlier version of one, that was removed while the archive was written.
func RemoveGone(ctx context.Context, l *ledger.Ledger, r Ref) (err error) {
	if r.Version > 0 {
		_, err = l.RemoveVersion(ctx, r.Workspace, r.Document, r.Version-1)
	} else {
		_, err = l.DeleteDocument(ctx, r.Workspace, r.Document)
	}
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// beside has fill fill an empty database beside the library, and then join in a transaction of the library that reads it.
func (i Importer) beside(ctx context.Context, fill func(db *sql.DB, schema string) error, join func(*sql.Tx) error) error {
	if i.Postgres != "" {
		return i.besidePostgres(ctx, fill, join)
	}
	return i.besideSQLite(ctx, fill, join)
}

func (i Importer) besideSQLite(ctx context.Context, fill func(*sql.DB, string) error, join func(*sql.Tx) error) (err error) {
	dir, remove, err := i.Host.FolderBeside()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	path := filepath.Join(dir, "clew.db")
	db, err := sqlite.Open(ctx, path, sqlite.Options{Fresh: true})
	if err != nil {
		return err
	}
	err = fill(db.Writer, besideName)
	var table string
	if err == nil {
		table, err = db.Dangling(ctx)
	}
	if err == nil && table != "" {
		err = domain.Errorf(domain.Invalid, "The backup holds rows of %s that refer to missing rows. It is damaged or not a backup of Clew. Nothing was changed.", table)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	conn, err := i.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, `ATTACH DATABASE ? AS `+besideName, path); err != nil {
		return fmt.Errorf("open the rows of the backup: %w", err)
	}
	defer func() {
		_, detached := conn.ExecContext(context.WithoutCancel(ctx), `DETACH DATABASE `+besideName)
		err = errors.Join(err, detached)
	}()
	return within(ctx, conn, join)
}

// within calls f in a transaction of a connection.
func within(ctx context.Context, conn *sql.Conn, f func(*sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, sqlio.Rollback(tx))
	}
	return tx.Commit()
}

// importLock is the advisory lock of an import into Postgres: there is one schema for its rows.
const importLock = 0x636c6577

func (i Importer) besidePostgres(ctx context.Context, fill func(*sql.DB, string) error, join func(*sql.Tx) error) (err error) {
	conn, err := i.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	free, err := sqlio.Value[bool](ctx, conn, `SELECT pg_try_advisory_lock(?)`, importLock)
	if err != nil {
		return err
	}
	if !free {
		return domain.Errorf(domain.Conflict, "Another workspace is being imported. Try again when that is done.")
	}
	const drop = `DROP SCHEMA IF EXISTS ` + besideSchema + ` CASCADE`
	defer func() {
		err = errors.Join(err, sqlio.ExecAll(context.WithoutCancel(ctx), conn, nil, drop, `SELECT pg_advisory_unlock_all()`))
	}()
	if err := sqlio.ExecAll(ctx, conn, nil, drop, `CREATE SCHEMA `+besideSchema); err != nil {
		return fmt.Errorf("make a schema: %w", err)
	}
	address, err := InSchema(i.Postgres, besideSchema)
	if err != nil {
		return err
	}
	db, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(fill(db.Writer, besideSchema), db.Close()); err != nil {
		return err
	}
	return within(ctx, conn, join)
}

// InSchema returns an address of a Postgres database whose tables are those of a schema.
func InSchema(address, schema string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", domain.Because(domain.Invalid, err, "DATABASE_URL is not a valid address.")
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String(), nil
}
