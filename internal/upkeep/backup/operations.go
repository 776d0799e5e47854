package backup

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

type wanted struct {
	Workspace string `json:"workspace" doc:"name of the only workspace to back up, without what belongs to the installation (default all)"`
}

// Arriving is the input of Import.
type Arriving struct {
	File    operation.File `json:"file" doc:"backup of one workspace"`
	As      string         `json:"as" doc:"name of the new workspace (default its own)"`
	Partial bool           `json:"partial" doc:"add it even if the backup lacks uploaded files, and list them"`
}

// Operations are the operations on backups. A restore of a whole library replaces it under the program that serves it,
// so it is only a command.
func Operations() []operation.Operation[Source] {
	return []operation.Operation[Source]{
		operation.Op[Source, wanted, operation.Made]{
			Name: "backup", Short: "Back up everything into one file, even while the server runs", Scope: operation.Install, Routes: []string{"GET /backup"}, Own: true, Trail: operation.Trail{Kept: true},
			Do: func(s Source, ctx context.Context, in wanted) (operation.Made, error) {
				s.One = in.Workspace
				if _, err := s.one(ctx, s.DB); err != nil {
					return operation.Made{}, err
				}
				return operation.Made{Name: FileName(s.One, s.Now()), Type: "application/zstd", Write: func(w io.Writer) error {
					_, err := Write(ctx, w, s)
					return err
				}}, nil
			},
		},
	}
}

// FileName suggests a name for an archive of the workspace of a name, or of everything for "".
func FileName(workspace string, at time.Time) string {
	return cmp.Or(workspace, "clew") + "-" + at.Format("2006-01-02-1504") + ".tar.zst"
}

// Import adds the workspace of a backup to the library.
var Import = operation.Op[Importer, Arriving, Imported]{
	Name: "restore", Short: "Restore a backup into an empty data folder, or add one of a workspace", Scope: operation.Install, Routes: []string{"POST /workspaces/import"}, Own: true,
	Do: func(i Importer, ctx context.Context, in Arriving) (done Imported, err error) {
		if in.File.Open == nil {
			return done, domain.Errorf(domain.Invalid, "Send the backup of a workspace, as multipart/form-data in the field file.")
		}
		file, err := in.File.Open()
		if err != nil {
			return done, err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		archive, ok := file.(io.ReadSeeker)
		if !ok {
			return done, domain.Errorf(domain.Unsupported, "A backup is read twice, and this one can be read once. Save it to a file and use clew restore.")
		}
		return i.Import(ctx, archive, in.As, in.Partial)
	},
}

// ImportOperations are the operations on backups of one workspace.
func ImportOperations() []operation.Operation[Importer] {
	return []operation.Operation[Importer]{Import}
}
