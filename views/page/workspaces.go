package page

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// WorkspacesProps fill the page of workspaces.
type WorkspacesProps struct {
	App          layout.Props
	All          []workspaces.Listed
	Title, About string // contents of the form for a new one
	Like         string
	Texts        bool
	Problem      string // why none was made, or why the workspace named Wrong was not renamed
	Wrong        string
	Unwelcome    string // why the workspace in a backup was not added
	As           string // contents of the form for a backup
}

// owner reports whether workspaces may be made, renamed and deleted.
func (p WorkspacesProps) owner() bool { return p.App.Role == "" || p.App.Role == domain.Owner }

func (p WorkspacesProps) open() []workspaces.Listed {
	return p.those(func(w workspaces.Listed) bool { return w.Archived.IsZero() && w.Deleted.IsZero() })
}

func (p WorkspacesProps) archived() []workspaces.Listed {
	return p.those(func(w workspaces.Listed) bool { return !w.Archived.IsZero() && w.Deleted.IsZero() })
}

func (p WorkspacesProps) deleted() []workspaces.Listed {
	return p.those(func(w workspaces.Listed) bool { return !w.Deleted.IsZero() })
}

func (p WorkspacesProps) those(which func(workspaces.Listed) bool) (list []workspaces.Listed) {
	return lists.Filter(p.All, which)
}

// sum says how many workspaces there are.
func (p WorkspacesProps) sum(ctx context.Context) string {
	text := lang.F(ctx, "%s open", lang.Int(ctx, len(p.open())))
	if n := len(p.archived()); n > 0 {
		text += lang.F(ctx, ", %s archived", lang.Int(ctx, n))
	}
	return lang.F(ctx, "%s. What is in one is not seen in another.", text)
}

// here reports whether the page is in a workspace.
func (p WorkspacesProps) here(w workspaces.Listed) bool { return w.Name == p.App.Workspace.Name }

func (p WorkspacesProps) asked(ctx context.Context, w workspaces.Listed) string {
	if w.Asked.IsZero() {
		return lang.T(ctx, "never")
	}
	return lang.Moment(ctx, w.Asked)
}

// holds describes the contents of a workspace.
func holds(ctx context.Context, w workspaces.Listed) string {
	return lang.Count(ctx, w.Members, "member", "members") + ", " + lang.Count(ctx, w.Documents, "document", "documents") + ", " + lang.Bytes(ctx, w.Bytes) + "."
}

// role describes what the reader of the page may do in a workspace.
func (p WorkspacesProps) role(ctx context.Context, w workspaces.Listed) string {
	if w.Role == "" {
		return lang.T(ctx, "everything")
	}
	return string(w.Role)
}
