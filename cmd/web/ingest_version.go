package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
)

// byName is the value of --new-version without a document.
const byName = "the document of the same name"

// versionFlags say what a file is to a document of its name.
type versionFlags struct {
	of       string // a document, or byName
	separate bool
}

func (f *versionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.of, "new-version", "", "add the file as the next version of a document, by name or id; without one, of `DOCUMENT`s of the same names")
	cmd.Flags().Lookup("new-version").NoOptDefVal = byName
	cmd.Flags().BoolVar(&f.separate, "separate", false, "add changed files as documents of their own")
	cmd.MarkFlagsMutuallyExclusive("new-version", "separate")
}

// versioned returns how the file of each path is added by the flags. Without any, what
// was named on its own becomes the next version of a document of its name, and what a
// folder holds stays apart.
func (a *app) versioned(ctx context.Context, f versionFlags, args []string, all documents.How) (func(path string) documents.How, error) {
	all.Named = documents.Next
	switch {
	case f.separate:
		all.Named = documents.Apart
	case f.of == "":
		return func(path string) documents.How {
			how := all
			if !slices.Contains(args, path) {
				how.Named = documents.Apart
			}
			return how
		}, nil
	case f.of == byName:
	case len(args) != 1:
		return nil, domain.Errorf(domain.Invalid, "Name one file to be the next version of %s.", f.of)
	default:
		ids, err := a.named(ctx, []string{f.of})
		if err != nil {
			return nil, err
		}
		all.Of = ids[0]
	}
	return func(string) documents.How { return all }, nil
}
