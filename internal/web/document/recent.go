package document

import (
	"cmp"
	"context"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// recent adds the latest conversations, each with the last question of its line and what came of it.
func (h *Home) recent(c echo.Context, p *page.DeskProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	list, total, err := h.Ledger.Conversations(ctx, w, mostRecent, 0)
	if err != nil {
		return err
	}
	p.Conversations = total
	ids := lists.Map(list, func(k ledger.Conversation) domain.ConversationID { return k.ID })
	trees, err := h.Ask.Trees(ctx, w, ids...)
	if err != nil {
		return err
	}
	lines, runs := make([][]questions.Turn, len(list)), []domain.RunID{}
	for i, tree := range trees {
		lines[i] = tree.Line("")
		if n := len(lines[i]); n > 0 && silent(lines[i][n-1].Answer) {
			runs = append(runs, lines[i][n-1].Run)
		}
	}
	events, err := h.Runs.Hub.EventsOf(ctx, w, runs)
	if err != nil {
		return err
	}
	for i, k := range list {
		line := lines[i]
		if len(line) == 0 {
			continue
		}
		last := line[len(line)-1]
		v := h.Runs.Fold(questions.Kind, last.Run, events[last.Run])
		turn := present.Turn(last.Answer, v, report.FoundFor(last.Answer, v), p.Now)
		item := page.RecentItem{URL: link.Conversation(k.ID), Question: last.Question, At: k.UpdatedAt, Answer: firstLine(turn)}
		if item.Mark, item.Verdict = verdict(ctx, turn, last.Answer); len(line) > 1 {
			item.Verdict += lang.F(ctx, ", %s questions", lang.Int(ctx, len(line)))
		} else {
			item.Question = k.Title
		}
		p.Recent = append(p.Recent, item)
	}
	return nil
}

// silent reports whether an answer has no support, so that only its run shows what was found.
func silent(m ledger.Answer) bool {
	return m.Status == ledger.MessageDone && len(m.Citations) == 0 && len(m.Figures) == 0
}

// longLine is how much of an answer is shown, in code points.
const longLine = 240

// firstLine returns the beginning of an answer: the best quotation if it quotes, else its first sentence that is not a
// remark.
func firstLine(t partial.TurnProps) string {
	line := t.Text
	for i, s := range t.Sentences {
		if i == 0 || !s.Remark {
			line = s.Text
		}
		if !s.Remark {
			break
		}
	}
	if f := t.Found; f != nil && len(f.Best) > 0 {
		line = ""
		for _, piece := range f.Best[0].Text {
			line += piece.Text
		}
	}
	line = cmp.Or(line, t.Problem)
	line = domain.OneLine(line)
	if domain.Runes(line) > longLine {
		line = domain.Span{End: longLine}.Slice(line) + "…"
	}
	return line
}

// verdict returns the icon of a question's outcome, and its words.
func verdict(ctx context.Context, t partial.TurnProps, a ledger.Answer) (mark, words string) {
	if a.Withheld {
		return "open", lang.T(ctx, "not shown")
	}
	switch a.Status {
	case ledger.MessageWaiting, ledger.MessageAnswering:
		return "open", "answering"
	case ledger.MessageAsking:
		return "open", lang.T(ctx, "waits for you")
	case ledger.MessageStopped:
		return "open", "stopped"
	case ledger.MessageFailed:
		return "failed", "failed"
	}
	said, supported := 0, 0
	for _, s := range t.Sentences {
		if s.Remark {
			continue
		}
		said++
		if s.Supported || s.Quote {
			supported++
		}
	}
	f := t.Found
	switch {
	case f != nil && f.Greets:
		return "open", "answered"
	case f != nil && f.Quoted && len(f.Best)+len(f.Groups) > 0:
		return "right", lang.F(ctx, "found, %s", lang.Count(ctx, f.Passages(), "passage", "passages"))
	case f != nil && f.Quoted:
		return "refused", lang.T(ctx, "nothing close")
	case f != nil && len(f.Closest) > 0:
		return "refused", lang.F(ctx, "miss, %s near", lang.Count(ctx, len(f.Closest), "passage", "passages"))
	case len(t.Figures) > 0 && said == supported:
		return "right", lang.T(ctx, "answered, with a chart")
	case said == 0:
		return "refused", lang.T(ctx, "nothing found")
	case supported == 0:
		return "open", lang.T(ctx, "answered, no source")
	case supported < said:
		return "half", lang.T(ctx, "half answered")
	case len(t.Citations) == 0:
		return "open", "answered"
	}
	return "right", lang.F(ctx, "answered, %s", lang.Count(ctx, len(t.Citations), "source", "sources"))
}
