package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
)

// versionFlags say what a file is to a document of its name.
type versionFlags struct {
	of       string // a document
	separate bool
}

func (f *versionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.of, "new-version", "", "add the file as the next version of a `DOCUMENT`, given by name or id, whatever the file is called")
	cmd.Flags().BoolVar(&f.separate, "separate", false, "add changed files as separate documents")
	cmd.MarkFlagsMutuallyExclusive("new-version", "separate")
}

// versioned returns how files are added by the flags. Without any, a changed file
// becomes the next version of the document of its name.
func (a *app) versioned(ctx context.Context, f versionFlags, args []string, all documents.How) (documents.How, error) {
	all.Named = documents.Next
	switch {
	case f.separate:
		all.Named = documents.Apart
	case f.of == "":
	case len(args) != 1:
		return all, domain.Errorf(domain.Invalid, "Name a single file as the next version of %s.", f.of)
	default:
		ids, err := a.documents.Find(ctx, domain.WorkspaceOf(ctx), []string{f.of})
		if err != nil {
			return all, err
		}
		all.Of = ids[0]
	}
	return all, nil
}

// nextVersion is the remark on a file that was added as the next version of a document.
const nextVersion = "It is the next version of the document of that name."
