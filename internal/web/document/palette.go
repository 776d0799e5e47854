package document

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// Limits on what is found.
const (
	mostFound = 6   // results per kind
	mostTyped = 200 // code points to search for
)

// Find serves the matches for the words of the parameter q, for the palette of every page: pages, commands, documents,
// entities and conversations. If the entity graph is away, its entities are left out, with a note.
func (h *Home) Find(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	typed := strings.TrimSpace(domain.Span{End: mostTyped}.Slice(c.QueryParam("q")))
	shell := h.Frame.Bare(c, "")
	found := []layout.Finds{
		{Title: lang.T(ctx, "Pages"), Items: named(shell.Places(c.Request().Context()), typed)},
		{Title: lang.T(ctx, "Commands"), Items: named(shell.Commands(c.Request().Context()), typed)},
	}
	talks, err := h.conversations(ctx, w, typed)
	if err != nil {
		return err
	}
	if typed == "" {
		return respond.HTML(c, http.StatusOK, layout.Found(append(talks, found...)))
	}
	texts, err := h.documents(ctx, w, typed)
	if err != nil {
		return err
	}
	names, err := h.entities(ctx, w, typed)
	if err != nil {
		return err
	}
	found = append(found, texts, names)
	return respond.HTML(c, http.StatusOK, layout.Found(append(found, talks...)))
}

// named returns the places in whose name each word begins a word.
func named(places []layout.Find, typed string) (list []layout.Find) {
	return lists.Filter(places, func(p layout.Find) bool { return begins(p.Name+" "+p.Note, typed) })
}

// begins reports whether each typed word begins a word of the name, in any case.
func begins(name, typed string) bool {
	words := strings.Fields(strings.ToLower(name))
next:
	for t := range strings.FieldsSeq(strings.ToLower(typed)) {
		for _, word := range words {
			if strings.HasPrefix(word, t) {
				continue next
			}
		}
		return false
	}
	return true
}

func (h *Home) documents(ctx context.Context, w domain.WorkspaceID, typed string) (layout.Finds, error) {
	found, _, err := h.Ledger.Documents(ctx, w, ledger.DocumentQuery{Text: typed, Limit: mostFound})
	f := layout.Finds{Title: lang.T(ctx, "Documents")}
	for _, d := range found {
		f.Items = append(f.Items, layout.Find{Name: d.Title, Note: d.Name, URL: link.Document(d.ID)})
	}
	return f, err
}

func (h *Home) entities(ctx context.Context, w domain.WorkspaceID, typed string) (layout.Finds, error) {
	found, _, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: typed, Limit: mostFound})
	if domain.KindOf(err) == domain.Unavailable {
		return layout.Finds{Title: lang.T(ctx, "Entities"), Problem: domain.InWords(err)}, nil
	}
	f := layout.Finds{Title: lang.T(ctx, "Entities")}
	for _, e := range found {
		f.Items = append(f.Items, layout.Find{Name: e.Name, Note: e.Label, URL: link.Entity(e.ID)})
	}
	return f, err
}

// conversations returns those that hold the words, or the latest.
func (h *Home) conversations(ctx context.Context, w domain.WorkspaceID, typed string) ([]layout.Finds, error) {
	q := ledger.ConversationQuery{Text: typed, Limit: mostFound}
	if typed == "" {
		q.Limit = mostRecent
	}
	recent, err := h.Ledger.RecentConversations(ctx, w, q)
	f := layout.Finds{Title: lang.T(ctx, "Conversations")}
	for _, k := range recent {
		f.Items = append(f.Items, layout.Find{Name: k.Title, URL: link.Conversation(k.ID)})
	}
	return []layout.Finds{f}, err
}
