package conversation

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// mostTalks is the most conversations that the page of all of them lists.
const mostTalks = 500

// shared adds how a conversation is shared, and counts that somebody else opens it.
func (h *Handler) shared(c echo.Context, k ledger.Conversation, p *page.AskProps) error {
	ctx := c.Request().Context()
	if k.SharedAt.IsZero() {
		return nil
	}
	s, err := h.Ask.Sharing(ctx, k)
	if err != nil {
		return err
	}
	p.Shared = &page.SharedProps{By: s.By, Own: s.Own, Shared: s.Shared, Answer: s.Answer != "", Opened: s.Opened, Later: s.Later, Origin: request.Site(c)}
	if !respond.Fragment(c) && c.Param("message") == "" {
		err = h.Ask.Opened(ctx, k)
	}
	return err
}

// Copy copies a conversation, and asks the question of the form in the copy. If that is refused, it shows the copy with
// the reason.
func (h *Handler) Copy(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	k, err := h.Ask.CopyOf(ctx, w, domain.ConversationID(c.Param("id")))
	if err != nil {
		return err
	}
	question := c.FormValue("question")
	if question == "" {
		return respond.SeeOther(c, link.Conversation(k))
	}
	m, err := h.Ask.Start(ctx, questions.Question{Workspace: w, Conversation: k, Text: question, Form: request.FormKey(c)})
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge, domain.TooMany:
		problem := respond.Refusal(c, err)
		return h.show(c, problem.Status, page.AskProps{Conversation: k, Question: shortened(question), Problem: problem.Message})
	}
	return respond.After(c, err, link.Turn(m.Conversation, m.Message))
}

// All serves the page of all conversations and folders, or of the folder in the parameter folder.
func (h *Handler) All(c echo.Context) error { return h.all(c, nil) }

func (h *Handler) all(c echo.Context, refused error) error {
	ctx := c.Request().Context()
	p, status := page.ConversationsProps{}, http.StatusOK
	if refused != nil {
		problem := respond.Refusal(c, refused)
		p.Problem, status = problem.Message, problem.Status
	}
	all, err := h.Ask.Folders(ctx)
	if err != nil {
		return err
	}
	for _, f := range all {
		item := page.FolderItem{ID: f.ID, Name: f.Name, Holds: f.Conversations}
		if p.Folders = append(p.Folders, item); string(f.ID) == c.QueryParam("folder") {
			p.Folder = item
		}
	}
	if p.Folder.ID == "" && c.QueryParam("folder") != "" {
		return domain.Errorf(domain.NotFound, "There is no such folder here. It may have been deleted.")
	}
	recent, err := h.Ask.Recent(ctx, request.Workspace(c), ledger.ConversationQuery{Folder: p.Folder.ID, Limit: mostTalks}, false)
	if err != nil {
		return err
	}
	for _, k := range recent {
		p.Items = append(p.Items, page.ConversationItem{ID: k.ID, Title: k.Title, UpdatedAt: k.UpdatedAt, Folder: k.In, Shared: !k.SharedAt.IsZero(), Chosen: string(k.ID) == c.QueryParam("choose")})
	}
	if err := h.shares(c, &p); err != nil {
		return err
	}
	p.App, err = h.Frame.App(c, layout.Ask, lang.T(ctx, "Conversations"))
	return respond.Show(c, err, status, page.ConversationsPage(p))
}

// shares adds what is shared, and for admins how many conversations each person has.
func (h *Handler) shares(c echo.Context, p *page.ConversationsProps) error {
	ctx := c.Request().Context()
	all, err := h.Ask.Shared(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		item := page.SharedItem{ID: k.ID, Title: k.Title, Answer: k.Answer != "", By: k.By, Shared: k.Shared, Opened: k.Opened, Link: request.Site(c) + k.Address}
		if k.Own {
			p.Mine = append(p.Mine, item)
		} else {
			p.Others = append(p.Others, item)
		}
	}
	if s := frame.Session(c); s.Account == "" || !s.Role.Includes(operation.Admin.Role()) {
		return nil
	}
	makers, err := h.Ask.Makers(ctx)
	for _, m := range makers {
		p.Makers = append(p.Makers, page.MakerItem{Who: m.Who(), Person: m.Person, Nobody: m.Nobody, Conversations: m.Conversations, UpdatedAt: m.Updated})
	}
	return err
}

// FolderMade returns to the page of all conversations, with the reason if a folder was refused.
func (h *Handler) FolderMade(c echo.Context, _ questions.Folder, refused error) error {
	if refused != nil {
		return h.all(c, refused)
	}
	return respond.SeeOther(c, link.Conversations)
}

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
