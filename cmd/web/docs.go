package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
)

// docsCommand writes what the documentation takes from the code. It is for
// developers, run in the checkout by make docs.
func docsCommand(surroundings) *cobra.Command {
	return &cobra.Command{
		Use:    "docs",
		Short:  "Write the parts of docs/ that come from the code",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			pages, err := documentation()
			if err != nil {
				return err
			}
			for path, text := range pages {
				if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // documentation is for everybody
					return err
				}
			}
			return nil
		},
	}
}

// documentation is the text of every generated page by its path in the
// checkout.
func documentation() (map[string]string, error) {
	pages := map[string]string{"docs/config.md": config.Markdown(), ".env.example": config.EnvExample()}
	for _, name := range graphNames() {
		g, err := namedGraph(name)
		if err != nil {
			return nil, err
		}
		pages["docs/graphs/"+name+".md"] = fmt.Sprintf("# The %s graph\n\n%s\n\n```mermaid\n%s```\n", name, g.about, g.mermaid)
	}
	return pages, nil
}
