// Package chrome fills what every page says around its own content.
package chrome

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/layout"
)

// Stats counts what a workspace holds.
type Stats interface {
	Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error)
}

// Documents knows the documents.
type Documents interface {
	CountDocuments(ctx context.Context, w domain.WorkspaceID) (map[domain.DocumentStatus]int, error)
}

// Outdated lists the documents that should be read again.
type Outdated interface {
	Outdated(ctx context.Context, w domain.WorkspaceID) ([]domain.Document, error)
}

// Chrome is what pages have in common. All fields are required but Model.
type Chrome struct {
	Graph     Stats
	Documents Documents
	Outdated  Outdated
	Model     string // name of the model that answers; "" is the built-in mode
}

// userKey is where the session's user is kept in the request.
const userKey = "user"

// SetUser notes who is signed in.
func SetUser(c echo.Context, name string) { c.Set(userKey, name) }

// User is who is signed in, "" where there are no accounts.
func User(c echo.Context) string {
	name, _ := c.Get(userKey).(string)
	return name
}

// App fills the props of a page's layout.
func (ch Chrome) App(c echo.Context, section layout.Section, title string) (layout.Props, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := layout.Props{Title: title, Section: section, Model: ch.Model, Toast: toast(c)}
	p.User = User(c)
	counts, err := ch.Documents.CountDocuments(ctx, w)
	if err != nil {
		return p, err
	}
	for _, n := range counts {
		p.Documents += n
	}
	stats, away, err := Count(ctx, ch.Graph, w)
	if err != nil {
		return p, err
	}
	p.Entities, p.Away = stats.Entities, away
	if ch.Model == "" {
		return p, nil
	}
	outdated, err := ch.Outdated.Outdated(ctx, w)
	p.Unread = len(outdated)
	return p, err
}

// patience is how long a page waits for counts that it can do without.
const patience = 2 * time.Second

// Count counts what the graph holds. While the graph can't be reached, or does
// not answer soon, there are no counts, and away is a sentence that says so.
func Count(ctx context.Context, graph Stats, w domain.WorkspaceID) (counts graphstore.Stats, away string, err error) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	counts, err = graph.Stats(soon, w)
	switch {
	case err == nil, ctx.Err() != nil:
		return counts, "", err
	case domain.KindOf(err) == domain.Unavailable:
		return graphstore.Stats{}, domain.InWords(err), nil
	case soon.Err() != nil:
		return graphstore.Stats{}, "The entity graph does not answer at the moment.", nil
	}
	return counts, "", err
}

// Bare fills the layout of a page that must not fail: errors and sign-in.
func (ch Chrome) Bare(c echo.Context, title string) layout.Props {
	return layout.Props{Title: title, Model: ch.Model, User: User(c)}
}

// toasts are what a page may be told to say after something was done, by the
// query parameter done. Only these texts are ever shown.
var toasts = map[string]string{
	"deleted":  "The document is deleted, with everything that only it contributed.",
	"summary":  "The summary is deleted.",
	"again":    "The document is being read again.",
	"stopped":  "Stopped. What has been recorded stays.",
	"sample":   "The sample library is being read.",
	"failed":   "What failed is being tried again.",
	"outdated": "The documents that were read without the model are being read again.",
}

func toast(c echo.Context) layout.Toast {
	return layout.Toast{Text: toasts[c.QueryParam("done")]}
}
