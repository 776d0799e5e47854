package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/operation"
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
	readme, err := between(filepath.Join(root, "README.md"), "formats", parse.KindsAndEndings())
	if err != nil {
		return nil, err
	}
	programs, err := between(filepath.Join(root, "docs/programs.md"), "scopes", scopesTable())
	if err != nil {
		return nil, err
	}
	pages := map[string]string{"README.md": readme, "docs/programs.md": programs, "docs/formats.md": parse.Markdown(), "docs/config.md": config.Markdown(), ".env.example": config.EnvExample()}
	for _, name := range graphNames() {
		g, err := namedGraph(name)
		if err != nil {
			return nil, err
		}
		pages["docs/graphs/"+name+".md"] = fmt.Sprintf("# The %s graph\n\n%s\n\n```mermaid\n%s```\n%s", name, g.about, g.mermaid, touched(g.topology))
	}
	return pages, nil
}

// between returns the text of a file with something else between its marks of a name.
func between(path, name, text string) (string, error) {
	begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
	file, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	before, rest, begins := strings.Cut(string(file), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", fmt.Errorf("%s has no place between %s and %s", path, begin, end)
	}
	return before + begin + text + end + after, nil
}

// scopesTable returns a table of what each scope lets a program do.
func scopesTable() string {
	var b strings.Builder
	b.WriteString("\n\n| scope | a program may | routes |\n| --- | --- | --- |\n")
	for _, s := range operation.Scopes() {
		var routes []string
		for _, o := range offers() {
			for _, row := range o.rows {
				if row.Scope == s {
					routes = append(routes, row.Routes...)
				}
			}
		}
		slices.Sort(routes)
		for i, r := range routes {
			routes[i] = "`" + r + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s, s.About(), strings.Join(routes, " "))
	}
	b.WriteString("\n")
	return b.String()
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
