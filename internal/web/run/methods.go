package run

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Methods serves the answers to a question by each method, or the part of the page
// that changes for a page that asks for it.
func (h *Handler) Methods(c echo.Context) error {
	m, err := h.message(c)
	if err != nil {
		return err
	}
	p, err := h.methods(c, m)
	if err != nil {
		return err
	}
	if c.Request().Header.Get("HX-Request") == "true" {
		return respond.HTML(c, http.StatusOK, page.MethodsPart(p))
	}
	p.App, err = h.Frame.App(c, layout.Runs, lang.T(c.Request().Context(), "Did the graph help?"))
	return respond.Show(c, err, http.StatusOK, page.MethodsPage(p))
}

// StartMethods starts an answer by each method, unless some are at work, and returns
// to their page.
func (h *Handler) StartMethods(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, err := h.message(c)
	if err != nil {
		return err
	}
	by, err := h.Ask.ByMethod(ctx, w, m.Message)
	if err != nil {
		return err
	}
	for _, b := range by {
		if (questions.Way{Branch: b}).Working() {
			return respond.SeeOther(c, link.Methods(m.Conversation, m.Message))
		}
	}
	_, err = h.Ask.StartMethods(ctx, w, m.Message, nil)
	return respond.After(c, err, link.Methods(m.Conversation, m.Message))
}

// message returns the message that the address names.
func (h *Handler) message(c echo.Context) (ledger.Answer, error) {
	m, err := h.Ledger.Message(c.Request().Context(), request.Workspace(c), domain.MessageID(c.Param("message")))
	if err == nil && m.Conversation != domain.ConversationID(c.Param("id")) {
		err = domain.Errorf(domain.NotFound, "There is no message %s in this conversation.", m.Message)
	}
	return m, err
}

func (h *Handler) methods(c echo.Context, m ledger.Answer) (page.MethodsProps, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := page.MethodsProps{Conversation: m.Conversation, Message: m.Message, Question: m.Question, Beyond: domain.MaxRanked}
	by, err := h.Ask.ByMethod(ctx, w, m.Message)
	if err != nil || len(by) == 0 {
		return p, err
	}
	p.Asked = true
	ways, ranks, err := h.Compares.Ways(ctx, w, by)
	if err != nil {
		return p, err
	}
	p.Word, p.Sentence = ranks.Helped()
	passages, err := h.passages(ctx, w, ranks)
	if err != nil {
		return p, err
	}
	p.Rows = lists.Map(ranks.Rows, func(x compare.Row) page.MethodRow { return methodRow(x, passages[x.Chunk], quoted(by, x.Chunk)) })
	for i, way := range ways {
		p.Working = p.Working || way.Working()
		p.Columns = append(p.Columns, h.column(ctx, way, ranks, p.Rows, i))
	}
	p.Figures = h.together(ctx, ways)
	if found := overGraph(ways, ranks); len(found) > 0 {
		p.Walk, err = h.Runs.Walk(ctx, w, found)
	}
	return p, err
}

func (h *Handler) passages(ctx context.Context, w domain.WorkspaceID, ranks compare.Ranks) (map[domain.ChunkID]domain.Passage, error) {
	ids := lists.Map(ranks.Rows, func(x compare.Row) domain.ChunkID { return x.Chunk })
	found, err := h.Ledger.Passages(ctx, w, ids)
	return lists.By(found, func(p domain.Passage) domain.ChunkID { return p.ID }), err
}

// overGraph returns the passages that only the graph found, by the graph walk or the whole loop.
func overGraph(ways []questions.Way, ranks compare.Ranks) []domain.FoundPassage {
	return lists.Map(ranks.Only(), func(x compare.Row) domain.FoundPassage {
		return domain.FoundPassage{Chunk: x.Chunk, Methods: []domain.MethodName{domain.MethodWalk}, Path: x.Path}
	})
}

// quoted returns the words of a passage that an answer cites, or "".
func quoted(by map[domain.MethodName]ledger.Answer, id domain.ChunkID) string {
	for _, m := range domain.Methods() {
		for _, c := range by[m].Citations {
			if c.Chunk == id {
				return c.Text
			}
		}
	}
	return ""
}

// maxQuote is the maximum number of code points of a passage's words in the table.
const maxQuote = 90

func methodRow(x compare.Row, p domain.Passage, quote string) page.MethodRow {
	row := page.MethodRow{Name: report.PassageName(p), URL: link.Chunk(x.Chunk), Needed: x.Needed, Only: x.Only && x.Needed}
	quote = cmp.Or(quote, beginning(p.Text))
	row.Quote = domain.Cut(quote, maxQuote)
	for _, k := range x.Ranks {
		row.Ranks = append(row.Ranks, page.MethodRank{Rank: k.N, Read: k.Read, Name: row.Name, URL: row.URL, Needed: row.Needed, Only: row.Only})
	}
	return row
}

// minQuote is the minimum length of a sentence that represents a passage, in code points: headings and numbers of
// paragraphs are shorter.
const minQuote = 24

// beginning returns the first sentence of a text that is not a heading.
func beginning(text string) string {
	for _, s := range prose.Sentences(text) {
		if s.Len() >= minQuote {
			return s.Slice(text)
		}
	}
	return text
}

// abouts describes what the methods do.
var abouts = map[domain.MethodName]string{
	domain.MethodWords: "BM25 over passages", domain.MethodVectors: "Nearest in meaning", domain.MethodHybrid: "Both, fused by their ranks",
	domain.MethodWalk: "Names, then passages that share them", domain.MethodDefault: "All of it, reworded where needed",
}

func (h *Handler) column(ctx context.Context, way questions.Way, ranks compare.Ranks, rows []page.MethodRow, i int) page.MethodColumn {
	c := page.MethodColumn{
		Title: questions.Searched(way.Method), About: abouts[way.Method], Run: way.Branch.Run, Answer: way.Branch.Text, Problem: way.Branch.Problem,
		Status: present.StatusOf(way.Branch.Status), Needed: len(ranks.Needed()), Read: ranks.Read(i),
	}
	c.Passages = lists.Sum(way.View.Steps, func(s *trace.Step) int { return len(s.Found) })
	c.Ranks = inOrder(rows, i)
	supported := lists.CountFunc(way.Branch.Sentences, func(s domain.Sentence) bool { return s.Supported })
	c.Figures = []page.MethodFigure{
		{Name: lang.T(ctx, "Time"), Value: lang.Duration(ctx, way.View.Took(h.Runs.Now()).Round(time.Millisecond))},
		{Name: lang.T(ctx, "Tokens"), Value: lang.Int(ctx, way.View.Tokens())},
		{Name: lang.T(ctx, "Cost"), Value: way.Cost.Short()},
		{Name: lang.T(ctx, "Supported"), Value: lang.F(ctx, "%d of %d", supported, len(way.Branch.Sentences))},
	}
	return c
}

// maxInColumn bounds the passages that a column lists; the table has the others.
const maxInColumn = 6

// inOrder lists the passages of a column: those read by their rank, then needed ones
// that were not.
func inOrder(rows []page.MethodRow, i int) []page.MethodRank {
	var read, missed []page.MethodRank
	for n := 1; n <= domain.MaxRanked; n++ {
		for _, x := range rows {
			switch k := x.Ranks[i]; {
			case k.Rank != n:
			case k.Read && (len(read) < maxInColumn || k.Needed):
				read = append(read, k)
			case !k.Read && k.Needed:
				missed = append(missed, k)
			}
		}
	}
	return append(read, missed...)
}

// together sums up what all answers took.
func (h *Handler) together(ctx context.Context, ways []questions.Way) string {
	var took time.Duration
	var cost costs.Amount
	tokens := 0
	for _, w := range ways {
		took = max(took, w.View.Took(h.Runs.Now()))
		tokens += w.View.Tokens()
		cost = cost.Plus(w.Cost)
	}
	return lang.F(ctx, "Run side by side: the longest took %s; %s in total, %s.", lang.Duration(ctx, took.Round(time.Millisecond)), lang.Count(ctx, tokens, "token", "tokens"), cost.Short())
}
