package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/views/format"
)

func backupCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var force bool
	var one string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up everything into one file, even while the server runs",
		Long: `Back up documents, extraction results, questions and answers, accounts and
uploaded files into one zstd-compressed tar file. The server may keep running;
the backup reflects the moment it began. FILE appears only when it is complete.
If FILE is -, the backup goes to standard output, and --json is not for it.

The graph and the search index are not included: clew restore rebuilds them.

With --workspace, only that workspace is backed up, without accounts, tokens,
connected models and settings of the installation: clew restore adds it to another
installation, which makes its vectors again.`,
		Example: `  clew backup clew-monday.tar.zst
  clew backup --workspace county-archive county.tar.zst
  clew backup - | ssh vault 'cat > clew.tar.zst'`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite an existing FILE")
	cmd.Flags().StringVar(&one, "workspace", "", "name of the only workspace to back up (default all)")
	withJSON(cmd, s, jsonObject, func(cmd *cobra.Command, args []string, s env) (*backedUp, error) {
		if args[0] == "-" && cmd.Flag("json").Changed {
			return nil, domain.Errorf(domain.Invalid, "With --json, standard output has what the backup holds: name a file for the backup.")
		}
		cfg, err := load()
		if err != nil {
			return nil, err
		}
		return writeBackup(cmd.Context(), cfg, s, args[0], one, force)
	})
	return cmd
}

// backedUp is what a backup holds.
type backedUp struct {
	File      string       `json:"file"`
	Made      time.Time    `json:"made"`
	Documents int64        `json:"documents"`
	Chunks    int64        `json:"chunks"`
	Files     int          `json:"files"` // uploaded ones
	Bytes     int64        `json:"bytes"`
	Packed    int64        `json:"packed"` // bytes of the file
	Sum       string       `json:"sum"`    // backups with the same sum have the same content
	Lost      []backup.Ref `json:"lost"`   // documents and versions whose uploaded file is missing
}

func writeBackup(ctx context.Context, cfg config.Config, s env, path, one string, force bool) (*backedUp, error) {
	if err := soundLibrary(ctx, cfg); err != nil {
		return nil, err
	}
	a, err := assemble(ctx, cfg, s, (*app).openLedger)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	source := a.backupSource()
	source.One = one
	if path == "-" {
		_, err := backup.Write(ctx, s.stdout, source)
		a.noted(ctx, "backup", err)
		return nil, err
	}
	if s.terminal {
		source.Progress = func(entry string, bytes int64) {
			fmt.Fprintf(s.stdout, "\r\x1b[K%s, %s", format.Bytes(bytes), entry)
		}
	}
	summary, err := backup.ToFile(ctx, path, source, force)
	a.noted(ctx, "backup", err)
	if s.terminal {
		fmt.Fprint(s.stdout, "\r\x1b[K")
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.stdout, "%s: %s.\n", path, inNumbers(summary))
	warnOfFiles(s, summary)
	return &backedUp{path, summary.Made, summary.Count("documents"), summary.Count("chunks"), summary.Files, summary.Bytes, summary.Packed, summary.Sum, summary.Lost}, nil
}

// noted records in the trail what a command does that is written by hand.
func (a *app) noted(ctx context.Context, action string, err error, things ...string) {
	installation := rowNamed(action).Scope == operation.Install
	a.trail.Record(domain.WithPerson(ctx, atTerminal), audit.Entry{Action: action, Things: things, Err: err, Installation: installation})
}

func (a *app) backupSource() backup.Source {
	return backup.Source{DB: a.db.Reader, Program: version, Files: a.files, Now: a.env.now}
}

// inNumbers describes the contents of a backup.
func inNumbers(s backup.Summary) string {
	return fmt.Sprintf("%s, %s, %s, %s in %s of the file, sum %.12s",
		format.Count(int(s.Count("documents")), "document", "documents"), format.Count(int(s.Count("chunks")), "chunk", "chunks"),
		format.Count(s.Files, "uploaded file", "uploaded files"), format.Bytes(s.Bytes), format.Bytes(s.Packed), s.Sum)
}

// warnOfFiles warns about documents whose uploaded file is missing.
func warnOfFiles(s env, b backup.Summary) {
	if n := len(b.Lost); n > 0 {
		fmt.Fprintf(s.stderr, "clew: The uploaded files of %s are missing. The backup has their text; clew fsck lists them. To restore it, use clew restore --partial.\n", format.Count(n, "document or version", "documents or versions"))
	}
}
