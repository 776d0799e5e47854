// Package evaluation serves the saved questions and the evaluations that ask them.
package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Handler serves evaluations. All fields are required.
type Handler struct {
	Frame      frame.Frame
	Evaluation *evaluation.Service
	Ledger     *ledger.Ledger
	Queue      *job.Queue
}

// most are the evaluations in the list and in the drawing.
const (
	mostListed = 50
	mostDrawn  = 12
)

// Show serves the evaluations, comparing those in the parameters a and b, or else the latest two.
func (h *Handler) Show(c echo.Context) error {
	return h.show(c, http.StatusOK, h.Evaluation.Usual, "")
}

// show serves the page with a setting in its form and its problem.
func (h *Handler) show(c echo.Context, status int, s evaluation.Setting, problem string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Evaluation, lang.T(ctx, "Evaluation"))
	if err != nil {
		return err
	}
	sets, err := h.Evaluation.Sets(ctx, w)
	if err != nil {
		return err
	}
	all, err := h.Evaluation.History(ctx, w)
	if err != nil {
		return err
	}
	set, err := setOf(c, sets, all)
	if err != nil {
		return err
	}
	history := ofSet(all, set)
	kept, err := h.Evaluation.Questions(ctx, w, set)
	if err != nil {
		return err
	}
	currency, err := h.currency(c.Request().Context())
	if err != nil {
		return err
	}
	p := page.EvaluationProps{App: app, Set: set, Sets: choices(ctx, sets, all), Gone: named(sets, set) == "", Questions: len(kept), Form: h.form(ctx, s, problem)}
	p.ToRefuse = lists.CountFunc(kept, evaluation.Kept.ToRefuse)
	p.Form.Estimate = estimate(ctx, history, len(kept), currency)
	if p.Working, err = h.working(ctx, w, history); err != nil {
		return err
	}
	p.Lines, p.History = lines(ctx, history, currency), points(ctx, history)
	if p.Compared, err = h.compared(c, history, currency); err != nil {
		return err
	}
	if p.Compared != nil {
		if toast := judgedToast(c, p.Compared.Back); toast.Text != "" {
			p.App.Toast = toast
		}
	}
	return respond.HTML(c, status, page.EvaluationPage(p))
}

func (h *Handler) currency(ctx context.Context) (string, error) {
	t, err := h.Evaluation.Costs.Prices.Table(ctx)
	return t.Currency, err
}

func (h *Handler) form(ctx context.Context, s evaluation.Setting, problem string) page.SettingForm {
	f := page.SettingForm{Method: string(s.Method), Model: s.Model, Loops: strconv.Itoa(s.MaxLoops), Passages: strconv.Itoa(s.Passages), Problem: problem,
		Together: strconv.Itoa(s.GradeMany), Order: strconv.Itoa(s.Rerank), Steps: s.Decompose, BuiltIn: len(h.Evaluation.Models) == 0}
	for _, m := range append([]domain.MethodName{domain.MethodDefault}, domain.Methods()...) {
		says := map[domain.MethodName]string{
			domain.MethodDefault: lang.T(ctx, "Default"), domain.MethodWords: lang.T(ctx, "Words"), domain.MethodVectors: lang.T(ctx, "Vectors"), domain.MethodHybrid: lang.T(ctx, "Hybrid: words and vectors"), domain.MethodWalk: lang.T(ctx, "Walk over the graph"),
		}[m]
		o := page.Option{Value: string(m), Says: says}
		if !slices.Contains(f.Methods, o) && (!m.ByVectors() || h.Evaluation.Vectors) {
			f.Methods = append(f.Methods, o)
		}
	}
	for _, m := range append([]string{h.Evaluation.Usual.Model}, h.Evaluation.Models...) {
		if o := (page.Option{Value: m, Says: m}); !slices.Contains(f.Models, o) {
			f.Models = append(f.Models, o)
		}
	}
	return f
}

// estimate describes the cost and duration of asking questions, based on the latest finished evaluation.
func estimate(ctx context.Context, history []evaluation.Evaluation, questions int, currency string) string {
	for _, e := range history {
		n := e.Score.Questions
		if e.Working() || n == 0 {
			continue
		}
		took := time.Duration(e.Score.P50*int64(questions)) * time.Millisecond
		said := lang.F(ctx, "about %s", lang.Duration(ctx, max(took, time.Second)))
		if cost := e.Score.Cost / priced(n) * priced(questions); cost > 0 && !e.Score.Unpriced {
			said = lang.F(ctx, "about %s and %s", cost.In(currency), lang.Duration(ctx, max(took, time.Second)))
		}
		return said
	}
	return ""
}

// working returns the evaluations in progress, with what the run of each waits for.
func (h *Handler) working(ctx context.Context, w domain.WorkspaceID, history []evaluation.Evaluation) ([]page.AtWork, error) {
	ids := []domain.EvaluationID{}
	for _, e := range history {
		if e.Working() {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	replies, err := h.Ledger.EvaluationReplies(ctx, w, ids...)
	if err != nil {
		return nil, err
	}
	waiting, err := h.Queue.List(ctx, w, job.Query{Kind: evaluation.Kind, Status: []job.Status{job.Waiting, job.Capped}})
	if err != nil {
		return nil, err
	}
	var list []page.AtWork
	for _, e := range history {
		if !e.Working() {
			continue
		}
		work := page.AtWork{ID: e.ID, Setting: lang.Sentence(ctx, e.Setting.String())}
		for _, r := range replies {
			if r.Evaluation != e.ID {
				continue
			}
			work.All++
			if r.Status == ledger.MessageDone || r.Status == ledger.MessageFailed {
				work.Asked++
			}
			for _, run := range waiting {
				if run.ID == r.Run {
					work.Waits = run.Problem
				}
			}
		}
		list = append(list, work)
	}
	return list, nil
}

// lines lists evaluations, each with its changes since the previous one.
func lines(ctx context.Context, history []evaluation.Evaluation, currency string) []page.EvaluationLine {
	var all []page.EvaluationLine
	for i, e := range history[:min(len(history), mostListed)] {
		s := e.Score
		l := page.EvaluationLine{
			ID: e.ID, At: e.CreatedAt, Setting: settingWords(e.Setting), Model: e.Setting.Model, Status: string(e.Status), Asked: s.Questions, ByHand: s.ByHand,
			Recall: recall(s), Right: of(ctx, s.Right+s.Found, s.Known()), Wrong: of(ctx, s.Wrong+s.NotFound, s.Questions), Refused: of(ctx, s.Refused, s.Known()), Rightly: of(ctx, s.RefusedRightly, s.ToRefuse),
			Cost: cost(ctx, s.Spent, currency), Tokens: s.Tokens, P50: millis(ctx, s.P50), P95: millis(ctx, s.P95),
		}
		if i+1 < len(history) {
			l.Changed = lists.Map(history[i+1].Differences(e), func(d evaluation.Difference) string { return difference(ctx, d) })
			if s.Questions > 0 && history[i+1].Score.Questions > 0 {
				l.Against = link.CompareEvaluations(history[i+1].ID, e.ID)
			}
		}
		all = append(all, l)
	}
	return all
}

func settingWords(s evaluation.Setting) string {
	said, _, _ := strings.Cut(s.String(), ",")
	return said + ", " + s.Amounts()
}

// points returns the latest evaluations that have ended, oldest first, for the drawing.
func points(ctx context.Context, history []evaluation.Evaluation) []page.HistoryPoint {
	var all []page.HistoryPoint
	for i, e := range history {
		s := e.Score
		if e.Status != ledger.EvaluationDone || s.Questions == 0 {
			continue
		}
		h := page.HistoryPoint{
			At: e.CreatedAt, URL: link.OneEvaluation(e.ID), Recall: percent(s.Recall), Right: percent(share(s.Right+s.Found, s.Known())), Refused: percent(share(s.Refused, s.Known())),
		}
		if i+1 < len(history) {
			said := lists.Map(history[i+1].Differences(e), func(d evaluation.Difference) string { return difference(ctx, d) })
			h.Changed = strings.Join(said, ", ")
		}
		if all = append(all, h); len(all) == mostDrawn {
			break
		}
	}
	slices.Reverse(all)
	return all
}

// Start begins an evaluation under the setting of the form.
func (h *Handler) Start(c echo.Context) error {
	s, err := h.setting(c)
	var e evaluation.Evaluation
	if err == nil {
		var set evaluation.Set
		if set, err = h.Evaluation.FindSet(c.Request().Context(), request.Workspace(c), c.FormValue("set")); err == nil {
			e, err = h.Evaluation.Start(c.Request().Context(), request.Workspace(c), set.ID, s)
		}
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooMany:
		problem := respond.Refusal(c, err)
		return h.show(c, problem.Status, s, problem.Message)
	}
	return respond.After(c, err, link.OneEvaluation(e.ID))
}

// setting reads the form; fields it lacks keep the defaults of people's questions.
func (h *Handler) setting(c echo.Context) (evaluation.Setting, error) {
	chosen := evaluation.Choice{Method: domain.MethodName(c.FormValue("search")), Model: c.FormValue("model")}
	var wrong error
	for _, f := range []struct {
		name string
		into **int
	}{{"loops", &chosen.MaxLoops}, {"passages", &chosen.Passages}, {"together", &chosen.GradeMany}, {"order", &chosen.Rerank}} {
		text := strings.TrimSpace(c.FormValue(f.name))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil && wrong == nil {
			wrong = domain.Errorf(domain.Invalid, "%q is not a whole number. Write how many there should be.", domain.Cut(text, 40))
		}
		*f.into = &n
	}
	if steps := c.FormValue("steps"); steps != "" {
		chosen.Decompose = new(steps == "yes")
	}
	return h.Evaluation.Usually(chosen), wrong
}

// One serves an evaluation, or only its progress to a page that polls.
func (h *Handler) One(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	id := domain.EvaluationID(c.Param("id"))
	if respond.Fragment(c) {
		return h.progress(c, id)
	}
	e, err := h.Evaluation.Result(ctx, w, id)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Evaluation, lang.F(ctx, "Evaluation of %s", lang.Moment(ctx, e.CreatedAt)))
	if err != nil {
		return err
	}
	currency, err := h.currency(c.Request().Context())
	if err != nil {
		return err
	}
	sets, err := h.Evaluation.Sets(ctx, w)
	if err != nil {
		return err
	}
	p := page.EvaluationResultProps{App: app, Set: e.Set, SetName: cmp.Or(named(sets, e.Set), lang.T(ctx, "A deleted set")), Status: string(e.Status), At: e.CreatedAt, Facts: facts(ctx, e.Facts), Figures: figures(ctx, e.Score, currency),
		Work:  page.AtWork{ID: e.ID, Setting: lang.Sentence(ctx, e.Setting.String()), Asked: e.Score.Questions, All: len(e.Score.Replies)},
		Pager: page.Pager{Offset: request.Offset(c), Limit: request.PageSize, Total: len(e.Score.Replies)}}
	if e.Working() {
		working, err := h.working(ctx, w, []evaluation.Evaluation{e})
		if err != nil {
			return err
		}
		p.Work = working[0]
	}
	back := link.With(link.OneEvaluation(id), "offset", at(p.Pager.Offset))
	for _, r := range paged(e.Score.Replies, p.Pager) {
		p.Replies = append(p.Replies, page.ReplyLine{N: r.N, Question: r.Text, Expected: expected(ctx, r.Question), Answer: r.Answer, Problem: r.Problem, ReplySide: side(ctx, id, r, currency, back)})
	}
	if toast := judgedToast(c, back); toast.Text != "" {
		p.App.Toast = toast
	}
	return respond.HTML(c, http.StatusOK, page.EvaluationResultPage(p))
}

// paged returns the elements of a list on a page.
func paged[T any](all []T, p page.Pager) []T {
	from := min(p.Offset, len(all))
	return all[from:min(from+p.Limit, len(all))]
}

// progress serves the progress of an evaluation. Once it has ended, the whole page is reloaded.
func (h *Handler) progress(c echo.Context, id domain.EvaluationID) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	e, err := h.Evaluation.Result(ctx, w, id)
	if err != nil {
		return err
	}
	if !e.Working() {
		c.Response().Header().Set("HX-Refresh", "true")
		return c.NoContent(http.StatusOK)
	}
	working, err := h.working(ctx, w, []evaluation.Evaluation{e})
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.Progress(working[0]))
}

// Stop stops an evaluation.
func (h *Handler) Stop(c echo.Context) error {
	id := domain.EvaluationID(c.Param("id"))
	return respond.After(c, h.Evaluation.Stop(c.Request().Context(), request.Workspace(c), id), link.OneEvaluation(id))
}

// GoOn asks the remaining questions of an evaluation.
func (h *Handler) GoOn(c echo.Context) error {
	id := domain.EvaluationID(c.Param("id"))
	return respond.After(c, h.Evaluation.GoOn(c.Request().Context(), request.Workspace(c), id), link.OneEvaluation(id))
}

// Delete deletes an evaluation.
func (h *Handler) Delete(c echo.Context) error {
	err := h.Evaluation.Delete(c.Request().Context(), request.Workspace(c), domain.EvaluationID(c.Param("id")))
	return respond.After(c, err, link.With(link.Evaluation, "done", "evaluated"))
}

func facts(ctx context.Context, f evaluation.Facts) []page.FactLine {
	none := func(n int64) string {
		return map[bool]string{true: lang.T(ctx, "none"), false: strconv.FormatInt(n, 10)}[n == 0]
	}
	embedder := cmp.Or(f.Embedder, lang.T(ctx, "none"))
	return []page.FactLine{
		{Name: lang.T(ctx, "Documents"), Value: lang.Int(ctx, f.Documents)}, {Name: lang.T(ctx, "Passages"), Value: lang.Int(ctx, f.Passages)}, {Name: lang.T(ctx, "Tokens of a chunk"), Value: lang.Int(ctx, f.ChunkTokens)}, {Name: lang.T(ctx, "Chunking"), Value: lang.T(ctx, cmp.Or(f.Chunking, "not known"))},
		{Name: lang.T(ctx, "Schema"), Value: none(f.Schema)}, {Name: lang.T(ctx, "Reader"), Value: lang.Sentence(ctx, f.Reader)}, {Name: lang.T(ctx, "Embedding"), Value: embedder}, {Name: lang.T(ctx, "Change of prompts"), Value: none(int64(f.Prompts))},
	}
}

func figures(ctx context.Context, s evaluation.Score, currency string) []page.FactLine {
	list := []page.FactLine{{Name: lang.T(ctx, "Needed documents among the first five"), Value: recall(s)}}
	if quotes(s) {
		list = append(list, page.FactLine{Name: lang.T(ctx, nameFound), Value: of(ctx, s.Found, s.Known())}, page.FactLine{Name: lang.T(ctx, nameNotFound), Value: of(ctx, s.NotFound, s.Questions)})
	}
	if answers(s) {
		list = append(list, page.FactLine{Name: lang.T(ctx, nameRight), Value: of(ctx, s.Right, s.Known())}, page.FactLine{Name: lang.T(ctx, nameWrong), Value: of(ctx, s.Wrong, s.Questions)})
	}
	list = append(list,
		page.FactLine{Name: lang.T(ctx, "Refused, though the library is expected to know"), Value: of(ctx, s.Refused, s.Known())}, page.FactLine{Name: lang.T(ctx, nameRightly), Value: of(ctx, s.RefusedRightly, s.ToRefuse)},
		page.FactLine{Name: lang.T(ctx, "Cost"), Value: cost(ctx, s.Spent, currency)}, page.FactLine{Name: lang.T(ctx, "Tokens"), Value: lang.Int(ctx, s.Tokens)},
		page.FactLine{Name: lang.T(ctx, "Time, half within"), Value: millis(ctx, s.P50)}, page.FactLine{Name: lang.T(ctx, "Time, 19 of 20 within"), Value: millis(ctx, s.P95)})
	if s.Half > 0 {
		list = slices.Insert(list, 2, page.FactLine{Name: lang.T(ctx, nameHalf), Value: of(ctx, s.Half, s.Known())})
	}
	if s.ByHand > 0 {
		list = append(list, page.FactLine{Name: lang.T(ctx, "Verdicts by hand"), Value: of(ctx, s.ByHand, s.Questions)})
	}
	if s.Failed > 0 {
		list = append(list, page.FactLine{Name: lang.T(ctx, "Failed"), Value: of(ctx, s.Failed, s.Questions)})
	}
	return list
}

func share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

func percent(x float64) int { return int(100*x + 0.5) }

func of(ctx context.Context, n, all int) string {
	if all == 0 {
		return "–"
	}
	return lang.F(ctx, "%d of %d", n, all)
}

func recall(s evaluation.Score) string {
	if s.Sources == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", s.Recall)
}

func millis(ctx context.Context, ms int64) string {
	if ms == 0 {
		return "–"
	}
	return lang.Duration(ctx, time.Duration(ms)*time.Millisecond)
}

func cost(ctx context.Context, s evaluation.Spent, currency string) string {
	switch {
	case s.Unpriced:
		return lang.T(ctx, "no price")
	case s.Cost == 0:
		return lang.T(ctx, "free")
	}
	return s.Cost.In(currency)
}
