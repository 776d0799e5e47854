package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/stategraph"
)

// docsCommand writes the generated parts of the documentation. It is hidden,
// because only make docs runs it, in a checkout.
func docsCommand(env) *cobra.Command {
	return &cobra.Command{
		Use:    "docs",
		Short:  "Generate parts of docs/ from the code",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			pages, err := documentation(".")
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

// documentation returns the text of every generated page by its path in the checkout at root.
func documentation(root string) (map[string]string, error) {
	readme, err := readmeWithFormats(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	pages := map[string]string{"README.md": readme, "docs/formats.md": parse.Markdown(), "docs/config.md": config.Markdown(), ".env.example": config.EnvExample()}
	for _, name := range graphNames() {
		g, err := namedGraph(name)
		if err != nil {
			return nil, err
		}
		pages["docs/graphs/"+name+".md"] = fmt.Sprintf("# The %s graph\n\n%s\n\n```mermaid\n%s```\n%s", name, g.about, g.mermaid, touched(g.topology))
	}
	return pages, nil
}

// readmeWithFormats returns the README with the kinds of files that can be read between its marks.
func readmeWithFormats(path string) (string, error) {
	const begin, end = "<!-- formats -->", "<!-- /formats -->"
	readme, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	before, rest, begins := strings.Cut(string(readme), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", fmt.Errorf("README.md has no place between %s and %s", begin, end)
	}
	return before + begin + parse.KindsAndEndings() + end + after, nil
}

// touched returns a table of the fields that each node reads and writes, or ""
// if no node declares any.
func touched(t stategraph.Topology) string {
	if !slices.ContainsFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Writes != nil }) {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nState fields by node. Updating any other field fails the run, and in tests a node sees no other field.\n" +
		"Fields that are only set at the start are omitted. A task sees only its payload.\n\n" +
		"| node | reads | writes |\n| --- | --- | --- |\n")
	for _, n := range t.Nodes {
		switch n.Kind {
		case stategraph.KindTask:
			fmt.Fprintf(&b, "| %s | its payload | %s |\n", n.Name, listed(n.Writes))
		case stategraph.KindNode, stategraph.KindSubgraph:
			fmt.Fprintf(&b, "| %s | %s | %s |\n", n.Name, listed(n.Reads), listed(n.Writes))
		}
	}
	return b.String()
}

func listed(fields []string) string {
	switch {
	case fields == nil:
		return "not declared"
	case len(fields) == 0:
		return "–"
	}
	return "`" + strings.Join(fields, "`, `") + "`"
}
