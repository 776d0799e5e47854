package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/web"
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
	readme, err := between(filepath.Join(root, "README.md"), map[string]string{"formats": parse.KindsAndEndings()})
	if err != nil {
		return nil, err
	}
	programs, err := between(filepath.Join(root, "docs/programs.md"), map[string]string{"scopes": scopesTable(), "roles": rolesTable(), "operations": operationsTable(), "alone": aloneTable()})
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

// between returns the text of a file with other texts between its marks, by their names.
func between(path string, texts map[string]string) (string, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	all := string(file)
	for name, text := range texts {
		begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
		before, rest, begins := strings.Cut(all, begin)
		_, after, ends := strings.Cut(rest, end)
		if !begins || !ends {
			return "", fmt.Errorf("%s has no place between %s and %s", path, begin, end)
		}
		all = before + begin + text + end + after
	}
	return all, nil
}

// scopesTable returns a table of what each scope lets a program do.
func scopesTable() string {
	var b strings.Builder
	b.WriteString("\n\n| scope | a program may | lowest role | routes |\n| --- | --- | --- | --- |\n")
	for _, s := range operation.Scopes() {
		var routes []string
		for _, row := range allRows() {
			if row.Scope == s {
				routes = append(routes, row.Routes...)
			}
		}
		slices.Sort(routes)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s, s.About(), s.Role(), codes(routes))
	}
	b.WriteString("\n")
	return b.String()
}

// rolesTable returns a table of what each role may do: the scopes that it has.
func rolesTable() string {
	var b strings.Builder
	b.WriteString("\n\n| role | in short | scopes beyond those of the role before |\n| --- | --- | --- |\n")
	for _, role := range append(domain.Roles(), domain.Owner) {
		var scopes []string
		for _, s := range operation.Scopes() {
			if s.Role() == role {
				scopes = append(scopes, string(s))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", role, role.About(), codes(scopes))
	}
	b.WriteString("\n")
	return b.String()
}

// operationsTable returns a table of where each operation can be reached.
func operationsTable() string {
	var b strings.Builder
	b.WriteString("\n\n| command | what it does | API | page | MCP | scope | role |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	pages := web.Pages()
	for _, row := range allRows() {
		var shown []string
		for _, p := range pages {
			if slices.Contains(p.Operations, row.Name) {
				shown = append(shown, p.Address())
			}
		}
		slices.Sort(shown)
		var tools []string
		if row.Tool.Name != "" {
			tools = []string{row.Tool.Name}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | `%s` | %s |\n", row.Name, row.Short, cmp.Or(codes(row.Routes), row.Apart),
			codes(slices.Compact(shown)), codes(tools), row.Scope, row.Scope.Role())
	}
	b.WriteString("\n")
	return b.String()
}

// aloneTable returns a table of the commands and forms that carry out no operation.
func aloneTable() string {
	var b strings.Builder
	b.WriteString("\n\n| command or form | why it is no operation |\n| --- | --- |\n")
	for _, c := range aloneCommands(program(env{})) {
		why := c.Annotations[hereAlone]
		switch {
		case c.Annotations[needsNone] != "":
			why = "it needs no library."
		case c.Annotations[carriesRemote] != "":
			why = "it carries out several operations."
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.CommandPath(), capital(why))
	}
	for _, p := range web.Pages() {
		if p.Alone != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", p.Address(), p.Alone)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// aloneCommands returns the commands from one on that carry out no operation.
func aloneCommands(c *cobra.Command) []*cobra.Command {
	var alone []*cobra.Command
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	if does(c) && !c.Hidden && !slices.ContainsFunc(allRows(), func(row operation.Row[*app]) bool { return row.Name == name }) {
		alone = append(alone, c)
	}
	for _, below := range c.Commands() {
		alone = append(alone, aloneCommands(below)...)
	}
	return alone
}

// allRows returns all operations, by the names of their commands.
func allRows() []operation.Row[*app] {
	var all []operation.Row[*app]
	for _, o := range offers() {
		all = append(all, o.rows...)
	}
	slices.SortFunc(all, func(a, b operation.Row[*app]) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// codes returns words as code, with spaces between them.
func codes(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "` `") + "`"
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

// capital returns a sentence with a capital letter.
func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
