package setting

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Workspaces serves the page of all workspaces. All fields are required.
type Workspaces struct {
	Frame    frame.Frame
	Service  *workspaces.Service
	Importer backup.Importer
}

// List serves the workspaces that whoever asks may open.
func (h *Workspaces) List(c echo.Context) error {
	return h.list(c, http.StatusOK, page.WorkspacesProps{})
}

func (h *Workspaces) list(c echo.Context, status int, p page.WorkspacesProps) error {
	app, err := h.Frame.App(c, layout.Workspaces, lang.T(c.Request().Context(), "Workspaces"))
	if err != nil {
		return err
	}
	if p.App.Toast.Text != "" {
		app.Toast = p.App.Toast
	}
	p.App = app
	p.All, err = workspaces.List.Do(h.Service, c.Request().Context(), struct{}{})
	return respond.Show(c, err, status, page.WorkspacesPage(p))
}

// Added answers the form that makes a workspace: it leads into it.
func (h *Workspaces) Added(c echo.Context, w workspaces.Listed, refused error) error {
	if refused == nil {
		return respond.SeeOther(c, link.Under(w.Name, link.Home))
	}
	problem := respond.Refusal(c, refused)
	return h.list(c, problem.Status, page.WorkspacesProps{Problem: problem.Message, Title: domain.Cut(c.FormValue("title"), workspaces.MaxTitle), About: domain.Cut(c.FormValue("about"), workspaces.MaxAbout), Like: c.FormValue("schema_of"), Texts: c.FormValue("prompts") != ""})
}

// Renamed answers the form that changes what a workspace is called.
func (h *Workspaces) Renamed(c echo.Context, _ workspaces.Listed, refused error) error {
	if refused == nil {
		return respond.SeeOther(c, link.Workspaces)
	}
	problem := respond.Refusal(c, refused)
	return h.list(c, problem.Status, page.WorkspacesProps{Wrong: c.Param("name"), Problem: problem.Message})
}

// Archived answers the form that archived a workspace.
func (h *Workspaces) Archived(c echo.Context, w workspaces.Listed) error {
	return h.changed(c, w, lang.F(c.Request().Context(), "%s is archived. It can be read, not changed or asked.", w.Title))
}

// Deleted answers the form that deleted a workspace.
func (h *Workspaces) Deleted(c echo.Context, w workspaces.Listed) error {
	return h.changed(c, w, lang.F(c.Request().Context(), "%s was deleted. For a day it can be restored.", w.Title))
}

// changed shows the page again, with a way back.
func (h *Workspaces) changed(c echo.Context, w workspaces.Listed, text string) error {
	p := page.WorkspacesProps{}
	p.App.Toast = layout.Toast{Text: text, Action: lang.T(c.Request().Context(), "Undo"), URL: link.Restore(link.WorkspaceOf(w.Name)), Back: link.Workspaces}
	return h.list(c, http.StatusOK, p)
}

// Import adds the workspace of a backup, and leads into it.
func (h *Workspaces) Import(c echo.Context) error {
	in := backup.Arriving{As: c.FormValue("as")}
	if sent, err := c.FormFile("file"); err == nil {
		in.File = operation.File{Name: sent.Filename, Open: func() (io.ReadCloser, error) { return sent.Open() }}
	}
	done, err := backup.Import.Do(h.Importer, c.Request().Context(), in)
	if err != nil {
		problem := respond.Refusal(c, err)
		return h.list(c, problem.Status, page.WorkspacesProps{Unwelcome: problem.Message, As: domain.Cut(in.As, workspaces.MaxName)})
	}
	h.Service.Forget()
	if len(done.Strangers)+len(done.Missing) == 0 {
		return respond.SeeOther(c, link.Under(done.Name, link.Home))
	}
	p := page.WorkspacesProps{}
	p.App.Toast = layout.Toast{Text: done.Told()}
	return h.list(c, http.StatusOK, p)
}
