package backup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// One names the workspace that an archive of one holds.
type One struct {
	ID    domain.WorkspaceID `json:"id"`
	Name  string             `json:"name"`
	Title string             `json:"title"`
}

// apart are the tables that an archive of one workspace leaves out beside leftOut: what belongs to the installation, and
// vectors, which are made again of the words.
var apart = []string{
	"users", "account_groups", "identities", "finished_sign_ons", "second_steps", "passes", "invitations", "audit", "audit_ends",
	"connections", "embedding_models", "embeddings", "former_members", "repeats", "sights",
}

// taken are the settings of a workspace that its archive holds. The others are secrets, marks of its stores, and
// settings of the installation.
var taken = []string{"caps"}

// secret are the columns that an archive of one workspace has empty.
var secret = map[string]string{"sources": "sealed"}

// list returns the columns of a table for a statement that reads them for an archive, of one workspace unless o is nil.
func (o *One) list(t Table) string {
	if column := secret[t.Name]; o != nil && column != "" {
		return strings.Replace(t.list(), quoted(column), `''`, 1)
	}
	return t.list()
}

// of returns the tables that have rows of the workspace, with the condition that selects them in each. It fails for a table
// whose rows can't be assigned to a workspace.
func (o One) of(tables []Table) (kept []Table, where map[string]selection, err error) {
	where = map[string]selection{}
	for _, t := range tables {
		if slices.Contains(apart, t.Name) {
			continue
		}
		s, ok := o.rows(t, "")
		if !ok {
			return nil, nil, fmt.Errorf("nothing says which rows of %s belong to a workspace", t.Name)
		}
		kept, where[t.Name] = append(kept, t), s
	}
	return kept, where, nil
}

// A selection is a condition on rows.
type selection struct {
	condition string
	args      []any
}

// where returns the clause of a statement, "" to select all.
func (s selection) where() string {
	if s.condition == "" {
		return ""
	}
	return ` WHERE ` + s.condition
}

// rows returns the statement that selects the workspace's rows of a table in a schema, which ends with a dot unless it
// is "".
func (o One) rows(t Table, schema string) (selection, bool) {
	runs := `id IN (SELECT id FROM ` + schema + `runs WHERE workspace_id = ?)`
	id := string(o.ID)
	switch {
	case t.Name == "workspaces":
		return selection{`id = ?`, []any{id}}, true
	case t.Name == "settings":
		return selection{`workspace_id = ? AND name IN (` + sqlio.Marks(len(taken)) + `)`, append([]any{id}, sqlio.Args(taken)...)}, true
	case t.Name == "threads":
		return selection{runs, []any{id}}, true
	case t.Name == "checkpoints":
		return selection{`thread IN (SELECT number FROM ` + schema + `threads WHERE ` + runs + `)`, []any{id}}, true
	case t.has("workspace_id"):
		return selection{`workspace_id = ?`, []any{id}}, true
	}
	return selection{}, false
}

func (t Table) has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}
