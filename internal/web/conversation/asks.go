package conversation

import (
	"context"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Reply lets a question go on with what a person decided, or shows the passages
// that they searched for. A reply that can't be used shows the form again with
// the reason. It fails with kind Conflict when the question asks nothing.
func (h *Handler) Reply(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, err := h.message(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
	}
	if form.Get("do") == "find" {
		return h.find(c, m, form)
	}
	asked, err := h.Ask.Asking(ctx, w, m.Run)
	if err != nil {
		return err
	}
	err = h.Ask.Continue(ctx, w, m.Run, replyOf(asked, form))
	kind := domain.KindOf(err)
	if !respond.WantsJSON(c) && (kind == domain.Invalid || kind == domain.TooLarge || kind == domain.NotFound) {
		problem := respond.Refusal(c, err)
		return h.show(c, problem.Status, page.AskProps{Conversation: m.Conversation, Refused: problem.Message})
	}
	return respond.After(c, err, link.TurnAt(m.Conversation, m.Message, ""))
}

// replyOf returns a form's decisions about the passages or the draft shown.
func replyOf(asked *answer.Asking, form url.Values) (r answer.Reply) {
	if asked != nil && asked.Summaries != nil {
		return answer.Reply{Texts: form["text"]}
	}
	if form.Get("do") == "hint" {
		return answer.Reply{Hint: form.Get("hint")}
	}
	relevant := map[domain.ChunkID]bool{}
	if asked != nil {
		for _, g := range asked.Passages {
			relevant[g.Chunk] = g.Verdict == domain.Relevant
			if relevant[g.Chunk] && !slices.Contains(form["use"], string(g.Chunk)) {
				r.Drop = append(r.Drop, g.Chunk)
			}
		}
	}
	for _, id := range form["use"] {
		if !relevant[domain.ChunkID(id)] {
			r.Add = append(r.Add, domain.ChunkID(id))
		}
	}
	return r
}

// find shows what a person searched for: to a script the passages alone.
func (h *Handler) find(c echo.Context, m ledger.Answer, form url.Values) error {
	if !respond.Fragment(c) {
		return h.show(c, 200, page.AskProps{Conversation: m.Conversation})
	}
	p, err := h.asks(c.Request().Context(), m, form)
	if err != nil || p == nil {
		return err
	}
	return respond.HTML(c, 200, partial.Found(*p))
}

// asked returns what a question asks, or nil if it asks nothing.
func (h *Handler) asked(c echo.Context, m ledger.Answer, v *trace.View) (*partial.AsksProps, error) {
	if m.Withheld || m.Status != ledger.MessageAsking && !v.Asks {
		return nil, nil //nolint:nilnil // nothing is asked
	}
	var form url.Values
	if m.Message == domain.MessageID(c.Param("message")) {
		form = c.Request().PostForm
	}
	return h.asks(c.Request().Context(), m, form)
}

// maxExcerpt is how much of a passage is shown, in code points.
const maxExcerpt = 280

// asks returns what a question asks, with the values of a submitted form.
func (h *Handler) asks(ctx context.Context, m ledger.Answer, form url.Values) (*partial.AsksProps, error) {
	asked, err := h.Ask.Asking(ctx, m.Workspace, m.Run)
	if err != nil || asked == nil {
		return nil, err
	}
	return h.asksFor(ctx, m, asked, form)
}

// asksFor draws what a question asks.
func (h *Handler) asksFor(ctx context.Context, m ledger.Answer, asked *answer.Asking, form url.Values) (*partial.AsksProps, error) {
	p := &partial.AsksProps{
		Conversation: m.Conversation, Message: m.Message, Run: m.Run, Nothing: asked.Nothing, Hints: asked.Hints, MaxHint: questions.MaxHint,
		Find: form.Get("find"), Hint: form.Get("hint"), Draft: asked.Summaries,
	}
	if p.Draft != nil {
		copy(p.Draft, form["text"])
		return p, nil
	}
	ids := lists.Map(asked.Passages, func(g domain.Grading) domain.ChunkID { return g.Chunk })
	for _, id := range form["use"] {
		ids = lists.AppendOnce(ids, domain.ChunkID(id))
	}
	texts, err := h.Ledger.Passages(ctx, m.Workspace, ids)
	if err != nil {
		return nil, err
	}
	for _, g := range asked.Passages {
		use := g.Verdict == domain.Relevant
		if form != nil {
			use = slices.Contains(form["use"], string(g.Chunk))
		}
		p.Passages = append(p.Passages, partial.AskedPassage{Grading: g, Text: excerpt(texts, g.Chunk), Use: use})
	}
	return p, h.addFound(ctx, m, p, texts, form)
}

// addFound adds the passages that a person has chosen from earlier searches, and
// those of the last one.
func (h *Handler) addFound(ctx context.Context, m ledger.Answer, p *partial.AsksProps, chosen []domain.Passage, form url.Values) error {
	found, err := h.Ask.Find(ctx, m.Workspace, p.Find)
	if err != nil {
		return err
	}
	for _, passage := range slices.Concat(chosen, found) {
		known := func(a partial.AskedPassage) bool { return a.Chunk == passage.ID }
		if slices.ContainsFunc(p.Passages, known) || slices.ContainsFunc(p.Found, known) {
			continue
		}
		p.Found = append(p.Found, partial.AskedPassage{
			Grading: passage.Graded(domain.Grade{}),
			Text:    domain.Cut(passage.Text, maxExcerpt), Use: slices.Contains(form["use"], string(passage.ID)),
		})
	}
	return nil
}

func excerpt(passages []domain.Passage, id domain.ChunkID) string {
	for _, p := range passages {
		if p.ID == id {
			return domain.Cut(p.Text, maxExcerpt)
		}
	}
	return ""
}
