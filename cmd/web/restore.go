package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/migrations"
	"github.com/clewhq/clew/views/format"
)

// restoring holds the arguments of clew restore.
type restoring struct {
	path    string
	force   bool
	check   bool
	partial bool
	as      string // name for the workspace in a backup of one
}

func restoreCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var r restoring
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty data folder",
		Long: `Restore a backup and rebuild the graph and the search index from it. The whole
file is verified before anything is written, and the existing library stays
intact until the new state is complete. An existing library is only replaced
with --force. Backups of older versions are upgraded; backups of newer versions
are refused, and so is a backup that lacks an uploaded file which a document or
an earlier version refers to. The server must not be running.

A backup of one workspace (clew backup --workspace) is added to the library that
is there, with its own name or another, even while the server runs. Its members
are those who have an account of the same name there.`,
		Example: `  clew restore clew-monday.tar.zst --data /srv/clew
  clew restore --check clew-monday.tar.zst
  clew restore --as county county-archive.tar.zst`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			r.path = args[0]
			return restore(cmd.Context(), cfg, s, r)
		},
	}
	cmd.Flags().BoolVar(&r.force, "force", false, "replace the existing library")
	cmd.Flags().BoolVar(&r.partial, "partial", false, "restore even if FILE lacks uploaded files, and list them")
	cmd.Flags().BoolVar(&r.check, "check", false, "only verify FILE")
	cmd.Flags().StringVar(&r.as, "as", "", "name of the workspace that a backup of one becomes (default its own)")
	return cmd
}

func restore(ctx context.Context, cfg config.Config, s env, r restoring) error {
	file, err := os.Open(r.path)
	if err != nil {
		return domain.Because(domain.NotFound, err, "The backup can't be read: %v.", err)
	}
	defer file.Close()
	summary, err := backup.Verify(ctx, file, r.partial)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "%s, made %s: %s. All checksums match.\n", r.path, summary.Made.Format(time.RFC3339), inNumbers(summary))
	if r.check {
		return nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the backup again: %w", err)
	}
	if summary.Workspace != nil || r.as != "" {
		return importHere(ctx, cfg, s, file, r)
	}
	if err := mayReplace(ctx, cfg, s, r.force); err != nil {
		return err
	}
	if err := replace(ctx, cfg, s, file, r); err != nil {
		return err
	}
	a, err := open(ctx, cfg, s) // switches to the new state
	if err != nil {
		return err
	}
	defer a.Close()
	a.trail.Record(domain.WithPerson(ctx, atTerminal), audit.Entry{Action: audit.Restore, Installation: true})
	fmt.Fprintln(s.stdout, "Restored. Rebuilding the graph and the search index.")
	if err := a.catchUp(ctx); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "Done.")
	a.warnOfKeys()
	if n := len(summary.Missing); n > 0 {
		fmt.Fprintf(s.stderr, "clew: The backup lacked %s: %s.\n", format.Count(n, "uploaded file", "uploaded files"), backup.Names(summary.Missing, n))
	}
	return nil
}

// warnOfKeys warns about connected models whose keys can't be read here.
func (a *app) warnOfKeys() {
	for _, c := range a.used.Connected {
		if c.Problem != "" {
			fmt.Fprintf(a.env.stderr, "clew: The model %s is not used for %s. %s\n", c.Model, c.Role, c.Problem)
		}
	}
}

// replace builds the new state beside the old one and switches to it, or leaves
// the switch to the next process that opens the data folder.
func replace(ctx context.Context, cfg config.Config, s env, archive io.Reader, r restoring) error {
	if cfg.Postgres.URL != "" {
		if err := stagePostgres(ctx, cfg, s, archive, r.partial); err != nil {
			return err
		}
		if err := mayReplace(ctx, cfg, s, r.force); err != nil {
			return err
		}
		return switchPostgres(ctx, cfg)
	}
	err := stage(ctx, cfg, s, archive, r.partial)
	if err == nil { // a server may have started in the meantime
		err = mayReplace(ctx, cfg, s, r.force)
	}
	if err == nil {
		err = backup.Commit(cfg.Data)
	}
	if err != nil {
		return errors.Join(err, backup.Unstage(cfg.Data))
	}
	return nil
}

// aliveWithin is how recent a heartbeat must be for its process to count as
// running.
const aliveWithin = 30 * time.Second

// mayReplace returns an error if the library is in use, or if it is not empty
// and force is not set.
func mayReplace(ctx context.Context, cfg config.Config, s env, force bool) (err error) {
	if _, err := os.Stat(cfg.Path("clew.db")); errors.Is(err, os.ErrNotExist) && cfg.Postgres.URL == "" {
		return nil
	}
	a, err := assemble(ctx, cfg, s, (*app).openLedger)
	if err != nil {
		if force { // a library that can't be opened is worthless
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	alive, err := a.queue.LiveProcesses(ctx, a.process.Gone, aliveWithin)
	if err != nil {
		return err
	}
	holds, or := "data folder "+cfg.Data, "Choose an empty folder with --data, or replace"
	if cfg.Stores() == config.Fleet {
		holds, or = "database of DATABASE_URL", "Name an empty one, or replace"
	}
	if len(alive) > 0 {
		return domain.Errorf(domain.Conflict, "Process %d on %s is using the %s. Stop it first.", alive[0].PID, alive[0].Host, holds)
	}
	if force {
		return nil
	}
	documents, conversations := 0, 0
	err = a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error {
		_, these, err := a.ledger.Documents(ctx, w.ID, ledger.DocumentQuery{Limit: 1})
		if err != nil {
			return err
		}
		_, those, err := a.ledger.Conversations(ctx, w.ID, 1, 0)
		documents, conversations = documents+these, conversations+those
		return err
	})
	if err != nil {
		return err
	}
	if documents+conversations > 0 {
		return domain.Errorf(domain.Conflict, "The %s already contains a library with %d documents. %s it with --force.", holds, documents, or)
	}
	return nil
}

// stage builds the backup's state beside the data folder's own.
func stage(ctx context.Context, cfg config.Config, s env, archive io.Reader, partial bool) (err error) {
	if cfg.Postgres.URL != "" {
		return domain.Errorf(domain.Invalid, "clew restore fills a data folder, and DATABASE_URL is set: unset it.")
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return domain.Because(domain.Invalid, err, "The data folder %s can't be created: %v.", cfg.Data, err)
	}
	dir, err := backup.Stage(cfg.Data)
	if err != nil {
		return sqlite.Explain(err)
	}
	fresh := cfg
	fresh.Data = dir
	gone, err := stageRows(ctx, fresh, s, archive, partial)
	if err != nil {
		return err
	}
	db, err := sqlite.Open(ctx, fresh.Path("clew.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(sqlite.Explain(err), db.Close()) }()
	return settle(ctx, s, database{Writer: db.Writer, Reader: db.Reader, explain: sqlite.Explain}, gone, identitiesIn(ctx, cfg, s))
}

// stageRows fills a new database with the rows of an archive, and returns the
// documents that were deleted while that was written. Nothing is synced before the
// whole state is.
func stageRows(ctx context.Context, fresh config.Config, s env, archive io.Reader, partial bool) (gone []backup.Ref, err error) {
	db, err := sqlite.Open(ctx, fresh.Path("clew.db"), sqlite.Options{Fresh: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(sqlite.Explain(err), db.Close()) }()
	summary, err := backup.Restore(ctx, archive, backup.Target{DB: db.Writer, Partial: partial, Files: func(context.Context) (backup.Store, error) {
		return openFiles(fresh, func() (documents.FileStore, error) { return documents.NewFiles(fresh.Path("files"), s.now()) })
	}})
	if err != nil {
		return nil, err
	}
	table, err := db.Dangling(ctx)
	if err == nil && table != "" {
		err = domain.Errorf(domain.Invalid, "The backup holds rows of %s that refer to missing rows. It is damaged or not a backup of Clew. Nothing was changed.", table)
	}
	return summary.Gone, err
}

// restoredSetting marks a workspace whose stores still reflect another ledger,
// even though their cursors may be equal.
const restoredSetting = "restored"

// settle finishes a restored ledger: it migrates it to the program's schema, deletes what was deleted while the backup
// was written, and marks the stores for a rebuild.
//
// The stores belong to the library that was here before, whose identity is kept. A
// library that is restored elsewhere gets one of its own: the one that was backed up
// may still be in use.
func settle(ctx context.Context, s env, db database, gone []backup.Ref, identities map[domain.WorkspaceID]string) error {
	if err := migrations.Up(ctx, db.Writer); err != nil {
		return err
	}
	l := ledger.Open(db.Writer, db.Reader, s.now, ledger.WithKey(prose.Key), ledger.WithExplain(db.explain))
	for _, d := range gone {
		if err := backup.RemoveGone(ctx, l, d); err != nil {
			return err
		}
	}
	if err := l.SetIdentities(ctx, identities); err != nil {
		return err
	}
	workspaces, err := l.WorkspaceIDs(ctx)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		if err := l.SetSetting(ctx, w, restoredSetting, "1"); err != nil {
			return err
		}
	}
	return nil
}

// identitiesIn returns the identities of the library that a restore replaces. One
// that can't be opened has none.
func identitiesIn(ctx context.Context, cfg config.Config, s env) map[domain.WorkspaceID]string {
	if _, err := os.Stat(cfg.Path("clew.db")); err != nil && cfg.Postgres.URL == "" {
		return nil
	}
	a, err := assemble(ctx, cfg, s, (*app).openLedger)
	if err != nil {
		return nil
	}
	defer a.Close()
	all, err := a.ledger.Identities(ctx)
	if err != nil {
		a.log.WarnContext(ctx, "the identity of the replaced library can't be read", "err", err)
	}
	return all
}

// fillRestored refills the stores of a restored workspace, and requests the vectors that its backup lacked.
func (a *app) fillRestored(ctx context.Context, w domain.WorkspaceID) error {
	due, _, err := a.ledger.Setting(ctx, w, restoredSetting)
	if err != nil || due == "" {
		return err
	}
	if err := a.projector.Reset(ctx, w, projection.Stores{Graph: true, Vectors: true}); err != nil {
		return err
	}
	if err := a.ledger.SetSetting(ctx, w, restoredSetting, ""); err != nil {
		return err
	}
	if err := a.projector.Apply(ctx, w); err != nil {
		return err
	}
	a.maintenance.OrderEmbedding(ctx, w)
	return nil
}

// importer adds workspaces of backups to the library.
func (a *app) importer() backup.Importer {
	return backup.Importer{
		Host: host{a}, Writer: a.db.Writer, Reader: a.db.Reader, Postgres: a.cfg.Postgres.URL, Files: a.files, Marks: []string{restoredSetting}, Now: a.env.now,
	}
}

// host is the program as an importer needs it.
type host struct{ *app }

var _ backup.Host = host{}

// FolderBeside makes a folder for stores or a database that are used for a while, and returns what removes it. It implements
// backup.Host.
func (a *app) FolderBeside() (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp(a.checkFolder(), checkPrefix+"*"); err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// SyncFiles implements backup.Host. A database syncs its rows itself.
func (h host) SyncFiles(w domain.WorkspaceID) error {
	if files, ok := h.files.(*documents.Files); ok {
		return backup.Durable(files.Folder(w))
	}
	return nil
}

// CheckName implements backup.Host.
func (host) CheckName(name string) error { return workspaces.CheckName(name) }

// Explain implements backup.Host.
func (h host) Explain(err error) error {
	if err == nil {
		return nil
	}
	return h.db.explain(err)
}

// importHere adds the workspace of a backup to the library here.
func importHere(ctx context.Context, cfg config.Config, s env, archive *os.File, r restoring) (err error) {
	if r.force {
		return domain.Errorf(domain.Invalid, "A backup of one workspace is added to the library and replaces nothing. Leave --force out.")
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	done, err := a.importer().Import(ctx, archive, r.as, r.partial)
	a.noted(ctx, "restore", err, done.Name)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, done.Told())
	fmt.Fprintln(s.stdout, "Filling its graph and its search index.")
	if err := a.fillRestored(ctx, done.ID); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "Done.")
	return nil
}

// restoredSchema is the Postgres schema in which the new state is built, beside
// the one in use.
const restoredSchema = "clew_restored"

// stagePostgres builds the backup's state in a separate schema. If the process
// is killed, the next restore drops the schema.
func stagePostgres(ctx context.Context, cfg config.Config, s env, archive io.Reader, partial bool) (err error) {
	address, err := backup.InSchema(cfg.Postgres.URL, restoredSchema)
	if err != nil {
		return err
	}
	in, err := postgres.Open(ctx, cfg.Postgres.URL, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := sqlio.ExecAll(ctx, in.Writer, nil, `DROP SCHEMA IF EXISTS `+restoredSchema+` CASCADE`, `CREATE SCHEMA `+restoredSchema); err != nil {
		return fmt.Errorf("make a schema: %w", postgres.Explain(err))
	}
	beside, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(postgres.Explain(err), beside.Close()) }()
	db := database{Writer: beside.Writer, Reader: beside.Reader, explain: postgres.Explain}
	summary, err := backup.Restore(ctx, archive, backup.Target{DB: db.Writer, Partial: partial, Files: func(ctx context.Context) (backup.Store, error) {
		return openFiles(cfg, func() (documents.FileStore, error) {
			return documents.NewRows(ctx, db.Writer, db.Reader, s.now, postgres.Explain)
		})
	}})
	if err != nil {
		return err
	}
	return settle(ctx, s, db, summary.Gone, identitiesIn(ctx, cfg, s))
}

// switchPostgres replaces the old state with the new one in one transaction.
func switchPostgres(ctx context.Context, cfg config.Config) (err error) {
	in, err := postgres.Open(ctx, cfg.Postgres.URL, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(postgres.Explain(err), in.Close()) }()
	tx, err := in.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	names, err := sqlio.Collect(ctx, tx, sqlio.Column[string],
		`SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = ? ORDER BY tablename`, restoredSchema)
	if err != nil {
		return err
	}
	home, err := sqlio.Value[string](ctx, tx, `SELECT quote_ident(current_schema())`)
	if err != nil {
		return err
	}
	if err := move(ctx, tx, names, home); err != nil {
		return fmt.Errorf("put the restored state in place: %w", err)
	}
	return tx.Commit()
}

func move(ctx context.Context, tx *sql.Tx, tables []string, home string) error {
	var statements []string
	for _, name := range tables {
		statements = append(statements, `DROP TABLE IF EXISTS `+home+`.`+name+` CASCADE`)
	}
	for _, name := range tables {
		statements = append(statements, `ALTER TABLE `+restoredSchema+`.`+name+` SET SCHEMA `+home)
	}
	return sqlio.ExecAll(ctx, tx, nil, append(statements, `DROP SCHEMA `+restoredSchema+` CASCADE`)...)
}
