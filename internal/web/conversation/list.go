package conversation

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// searches reports whether a script asks for the list of conversations alone.
func searches(c echo.Context) bool {
	return respond.Fragment(c) && c.QueryParams().Has("find")
}

// found serves the list of conversations, and puts the search into the page's URL.
func (h *Handler) found(c echo.Context, open domain.ConversationID) error {
	p := page.AskProps{Conversation: open}
	if err := h.list(c, &p); err != nil {
		return err
	}
	address := link.Ask
	if open != "" {
		address = link.Conversation(open)
	}
	c.Response().Header().Set("HX-Replace-Url", link.With(link.At(c.Request().Context(), address), "find", p.Find))
	return respond.HTML(c, http.StatusOK, page.Found(p))
}

// list adds the latest conversations that the request searches for, with the state of
// their last question.
func (h *Handler) list(c echo.Context, p *page.AskProps) error {
	p.Find = domain.Span{End: maxFind}.Slice(strings.TrimSpace(strings.ToValidUTF8(c.QueryParam("find"), "")))
	p.Now = h.Runs.Now()
	ctx := c.Request().Context()
	recent, err := h.Ask.Recent(ctx, request.Workspace(c), ledger.ConversationQuery{Text: p.Find, Limit: maxListed}, p.Find == "")
	for _, k := range recent {
		if !k.Own(ctx) {
			p.Conversations = append(p.Conversations, page.ConversationItem{ID: k.ID, Title: k.Title, UpdatedAt: k.SharedAt, By: k.Maker})
			continue
		}
		p.Conversations = append(p.Conversations, page.ConversationItem{
			ID: k.ID, Title: k.Title, Pinned: k.Pinned, UpdatedAt: k.UpdatedAt, State: lang.T(ctx, remark(k)), Match: k.Match.Message, Matched: k.Match.Question,
			Folder: k.In, Shared: !k.SharedAt.IsZero(),
		})
	}
	return err
}

// remark returns the remark next to a conversation's title. There is none for a greeting, which is not meant to find
// anything.
func remark(k ledger.RecentConversation) string {
	said := k.Remark()
	if said != "" && k.Status == ledger.MessageDone {
		if asks := intent.ByForm(k.Title).Kind; asks == intent.Greeting || asks == intent.Thanks {
			return ""
		}
	}
	return said
}
