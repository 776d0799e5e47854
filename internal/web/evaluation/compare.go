package evaluation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// priced makes a count a factor of money.
func priced(n int) costs.Money { return costs.Money(n) }

// compared compares two evaluations. It returns nil until two have replies.
func (h *Handler) compared(c echo.Context, history []evaluation.Evaluation, currency string) (*page.ComparedProps, error) {
	history = slices.DeleteFunc(slices.Clone(history), func(e evaluation.Evaluation) bool { return e.Working() || e.Score.Questions == 0 })
	if len(history) < 2 {
		return nil, nil
	}
	p := &page.ComparedProps{A: chosen(history, c.QueryParam("a"), 1), B: chosen(history, c.QueryParam("b"), 0), Words: c.QueryParam("q")}
	sides := make([]evaluation.Evaluation, 2)
	for i, id := range []string{p.A, p.B} {
		at := slices.IndexFunc(history, func(e evaluation.Evaluation) bool { return string(e.ID) == id })
		var err error
		if sides[i], err = h.Evaluation.Filled(c.Request().Context(), request.Workspace(c), history[at]); err != nil {
			return nil, err
		}
	}
	for _, e := range history {
		p.Choices = append(p.Choices, page.Option{Value: string(e.ID), Says: lang.Sentence(c.Request().Context(), e.Setting.String()) + ", " + lang.Date(c.Request().Context(), e.CreatedAt, "2 Jan 2006, 15:04")})
	}
	p.ASaid, p.BSaid = asked(c.Request().Context(), sides[0]), asked(c.Request().Context(), sides[1])
	compared := evaluation.Compare(sides[0], sides[1])
	p.Says, p.Alone = lang.Sentence(c.Request().Context(), compared.Says(currency)), compared.Alone
	p.Differs = lists.Map(compared.Differs, func(d evaluation.Difference) string { return difference(c.Request().Context(), d) })
	p.Metrics = metrics(c.Request().Context(), compared, currency)
	for i := range p.Metrics {
		if p.Metrics[i].Tells != "" {
			p.Metrics[i].URL = tabURL(p, "differ")
		}
	}
	pairs(c.Request().Context(), p, compared, c.QueryParam("show"), request.Offset(c), currency)
	return p, nil
}

// chosen returns the id of the requested evaluation, or of the n-th.
func chosen(history []evaluation.Evaluation, id string, n int) string {
	if slices.ContainsFunc(history, func(e evaluation.Evaluation) bool { return string(e.ID) == id }) {
		return id
	}
	return string(history[n].ID)
}

func asked(ctx context.Context, e evaluation.Evaluation) string {
	return lang.F(ctx, "%s, %d of %d asked", lang.Date(ctx, e.CreatedAt, "2 January"), e.Score.Questions, len(e.Score.Replies))
}

// The names of figures.
const (
	nameRight    = "Answered rightly"
	nameHalf     = "Half of it"
	nameWrong    = "Wrong"
	nameRightly  = "Refused, and rightly so"
	nameFound    = "Found: what is expected is quoted"
	nameNotFound = "Not found: other sentences are quoted"
)

// quotes reports whether the answers quote passages that no model read.
func quotes(s evaluation.Score) bool { return s.Found+s.NotFound > 0 }

// answers reports whether answers claimed something, or a person judges that they did.
func answers(s evaluation.Score) bool { return !quotes(s) || s.Right+s.Wrong > 0 }

// metrics returns the figures of two evaluations.
func metrics(ctx context.Context, c evaluation.Comparison, currency string) []page.MetricLine {
	a, b := c.A.Score, c.B.Score
	lines := []page.MetricLine{{Name: lang.T(ctx, "Needed documents among the first five"), A: recall(a), B: recall(b), Change: signed(ctx, fmt.Sprintf("%+.2f", b.Recall-a.Recall)), From: a.Recall, To: b.Recall}}
	if quotes(a) || quotes(b) {
		lines = append(lines, parts(ctx, nameFound, a.Found, a.Known(), b.Found, b.Known()), parts(ctx, nameNotFound, a.NotFound, a.Questions, b.NotFound, b.Questions))
	}
	if answers(a) || answers(b) {
		lines = append(lines, parts(ctx, nameRight, a.Right, a.Known(), b.Right, b.Known()), parts(ctx, nameWrong, a.Wrong, a.Questions, b.Wrong, b.Questions))
	}
	lines[1].Tells = changes(ctx, c)
	if a.Half+b.Half > 0 {
		lines = slices.Insert(lines, 2, parts(ctx, nameHalf, a.Half, a.Known(), b.Half, b.Known()))
	}
	lines = append(lines, parts(ctx, "Refused, though the library knows", a.Refused, a.Known(), b.Refused, b.Known()),
		parts(ctx, nameRightly, a.RefusedRightly, a.ToRefuse, b.RefusedRightly, b.ToRefuse))
	money := page.MetricLine{Name: lang.T(ctx, "Cost"), A: cost(ctx, a.Spent, currency), B: cost(ctx, b.Spent, currency)}
	if d := b.Cost - a.Cost; d > 0 {
		money.Change = "+" + d.In(currency)
	} else if d < 0 {
		money.Change = d.In(currency)
	}
	money.From, money.To = beside(int64(a.Cost), int64(b.Cost))
	tokens := page.MetricLine{Name: lang.T(ctx, "Tokens"), A: lang.Int(ctx, a.Tokens), B: lang.Int(ctx, b.Tokens), Change: signed(ctx, strings.Replace("+"+lang.Int(ctx, b.Tokens-a.Tokens), "+−", "−", 1))}
	tokens.From, tokens.To = beside(int64(a.Tokens), int64(b.Tokens))
	return append(lines, money, tokens, times(ctx, lang.T(ctx, "Time, half within"), a.P50, b.P50), times(ctx, lang.T(ctx, "Time, 19 of 20 within"), a.P95, b.P95))
}

// changes counts improvements and regressions.
func changes(ctx context.Context, c evaluation.Comparison) string {
	var said []string
	if n := c.Count(evaluation.Better); n > 0 {
		said = append(said, lang.F(ctx, "%d better", n))
	}
	if n := c.Count(evaluation.Worse); n > 0 {
		said = append(said, lang.F(ctx, "%d worse", n))
	}
	return strings.Join(said, ", ")
}

func parts(ctx context.Context, name string, a, ofA, b, ofB int) page.MetricLine {
	return page.MetricLine{Name: lang.T(ctx, name), A: of(ctx, a, ofA), B: of(ctx, b, ofB), Change: signed(ctx, fmt.Sprintf("%+d", b-a)), From: share(a, ofA), To: share(b, ofB)}
}

// signed writes a difference with a minus sign, and "same" for zero.
func signed(ctx context.Context, text string) string {
	if strings.Trim(text, "+-0.") == "" {
		return lang.T(ctx, "same")
	}
	return strings.Replace(text, "-", "−", 1)
}

func times(ctx context.Context, name string, a, b int64) page.MetricLine {
	m := page.MetricLine{Name: name, A: millis(ctx, a), B: millis(ctx, b), Change: lang.T(ctx, "same")}
	if d := b - a; d > 0 {
		m.Change = "+" + millis(ctx, d)
	} else if d < 0 {
		m.Change = "−" + millis(ctx, -d)
	}
	m.From, m.To = beside(a, b)
	return m
}

// beside places two amounts on a line that ends with the larger one.
func beside(a, b int64) (from, to float64) {
	most := float64(max(a, b, 1))
	return float64(a) / most, float64(b) / most
}

// pairs fills in the questions of a tab.
func pairs(ctx context.Context, p *page.ComparedProps, c evaluation.Comparison, tab string, offset int, currency string) {
	shown := map[string]func(evaluation.Pair) bool{
		"differ": func(x evaluation.Pair) bool { return x.A.Verdict != x.B.Verdict },
		"better": func(x evaluation.Pair) bool { return x.Change == evaluation.Better },
		"worse":  func(x evaluation.Pair) bool { return x.Change == evaluation.Worse },
		"all":    func(evaluation.Pair) bool { return true },
	}
	if shown[tab] == nil {
		tab = "differ"
		if c.Differ() == 0 {
			tab = "all"
		}
	}
	p.Tab, p.Back = tab, link.With(link.Evaluation, "a", p.A, "b", p.B, "show", tab, "q", p.Words, "offset", at(offset))+"#questions"
	counts := map[string]int{"differ": c.Differ(), "better": c.Count(evaluation.Better), "worse": c.Count(evaluation.Worse), "all": len(c.Pairs)}
	for _, t := range []string{"differ", "better", "worse", "all"} {
		p.Tabs = append(p.Tabs, page.CountTab{Name: lang.T(ctx, tabNames[t]), URL: tabURL(p, t), Count: counts[t], Current: t == tab})
	}
	found := lists.Filter(c.Pairs, func(x evaluation.Pair) bool {
		return shown[tab](x) && strings.Contains(strings.ToLower(x.Text), strings.ToLower(strings.TrimSpace(p.Words)))
	})
	p.Pager = page.Pager{Offset: offset, Limit: request.PageSize, Total: len(found)}
	for _, x := range paged(found, p.Pager) {
		p.Pairs = append(p.Pairs, page.PairLine{
			Question: x.Text, Expected: expected(ctx, x.Question), URL: link.Compare + "?left=" + string(x.A.Run) + "&right=" + string(x.B.Run),
			A: side(ctx, c.A.ID, x.A, currency, p.Back), B: side(ctx, c.B.ID, x.B, currency, p.Back), Change: string(x.Change),
		})
	}
}

func tabURL(p *page.ComparedProps, tab string) string {
	return link.With(link.Evaluation, "a", p.A, "b", p.B, "show", tab) + "#questions"
}

// side draws a reply. Judging it returns to back.
func side(ctx context.Context, id domain.EvaluationID, r evaluation.Reply, currency, back string) page.ReplySide {
	s := page.ReplySide{Verdict: string(r.Verdict), ByRule: string(r.ByRule), Ranks: ranks(ctx, r.Ranks), Time: millis(ctx, r.Millis)}
	if r.Verdict == "" {
		return page.ReplySide{Verdict: lang.T(ctx, "not asked")}
	}
	if r.Run != "" {
		s.URL = link.Run(r.Run)
	}
	s.Cost = cost(ctx, r.Spent, currency)
	if r.Verdict != evaluation.Failed {
		s.Judge, s.Back = link.Verdict(id, r.N), back
		s.ByHand = lists.Map(evaluation.ByHand(), func(v evaluation.Verdict) string { return string(v) })
	}
	return s
}

func ranks(ctx context.Context, all []int) string {
	said := make([]string, len(all))
	for i, n := range all {
		said[i] = "–"
		if n > 0 {
			said[i] = lang.Int(ctx, n)
		}
	}
	return strings.Join(said, ", ")
}

// expected describes the expected answer to a question.
func expected(ctx context.Context, q evaluation.Question) string {
	if q.ToRefuse() {
		return lang.T(ctx, "to be refused")
	}
	var said []string
	if len(q.Answers) > 0 {
		said = append(said, "“"+strings.Join(q.Answers, "” or “")+"”")
	}
	if len(q.Sources) > 0 {
		said = append(said, strings.Join(q.Sources, ", "))
	}
	return strings.Join(said, "; ")
}

// tabNames are the titles of the tabs that select questions.
var tabNames = map[string]string{"differ": "Differ", "better": "Better", "worse": "Worse", "all": "All"}

// difference describes the difference between two evaluations.
func difference(ctx context.Context, d evaluation.Difference) string {
	return lang.T(ctx, d.What) + " " + lang.Sentence(ctx, d.Before) + " → " + lang.Sentence(ctx, d.After)
}
