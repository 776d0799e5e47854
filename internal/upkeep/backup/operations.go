package backup

import (
	"context"
	"io"

	"github.com/clewhq/clew/internal/operation"
)

// Operations are what programs can do with backups. A restore replaces the library under the program that serves it: it is
// a command alone.
func Operations() []operation.Operation[Source] {
	return []operation.Operation[Source]{
		operation.Op[Source, struct{}, operation.Made]{
			Name: "backup", Short: "Back up everything into one file, even while the server runs", Scope: operation.Install, Routes: []string{"GET /backup"}, Own: true,
			Do: func(s Source, ctx context.Context, _ struct{}) (operation.Made, error) {
				return operation.Made{Name: "clew-" + s.Now().Format("2006-01-02-1504") + ".tar.zst", Type: "application/zstd", Write: func(w io.Writer) error {
					_, err := Write(ctx, w, s)
					return err
				}}, nil
			},
		},
	}
}
