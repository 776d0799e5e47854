package evaluation

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// mostFeedback is how many judged answers are offered.
const mostFeedback = 20

// Questions serves the questions that are kept, and those that can be.
func (h *Handler) Questions(c echo.Context) error {
	return h.questions(c, http.StatusOK, page.KeptProps{})
}

// questions serves the questions of a set, with the problem of a form.
func (h *Handler) questions(c echo.Context, status int, p page.KeptProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Evaluation, lang.T(ctx, "Questions"))
	if err != nil {
		return err
	}
	sets, err := h.Evaluation.Sets(ctx, w)
	if err != nil {
		return err
	}
	p.Set = sets[0].ID
	if id := domain.SetID(cmp.Or(c.FormValue("set"), c.Param("id"))); named(sets, id) != "" {
		p.Set = id
	} else if id != "" {
		return domain.Errorf(domain.NotFound, "There is no set %s of questions here. It may have been deleted.", domain.Cut(string(id), 40))
	}
	p.App, p.SetName, p.Most = app, named(sets, p.Set), evaluation.MaxKept
	here := link.OfSet(link.KeptQuestions, p.Set)
	if id := c.QueryParam("undo"); id != "" {
		p.App.Toast = layout.Toast{Text: lang.T(ctx, "The question was deleted."), Action: lang.T(ctx, "Undo"), URL: link.Restore(link.KeptQuestion(domain.QuestionID(id))), Back: here}
	}
	if id := c.QueryParam("undo-set"); id != "" {
		p.App.Toast = layout.Toast{Text: lang.T(ctx, "The set was deleted, with its questions."), Action: lang.T(ctx, "Undo"), URL: link.Restore(link.QuestionSet(domain.SetID(id)))}
	}
	kept, err := h.Evaluation.Questions(ctx, w, ids(sets)...)
	if err != nil {
		return err
	}
	if p.Feedback, err = h.feedback(ctx, w, kept); err != nil {
		return err
	}
	for _, s := range sets {
		p.Sets = append(p.Sets, page.CountTab{Name: s.Name, URL: link.OfSet(link.KeptQuestions, s.ID), Count: s.Questions, Current: s.ID == p.Set})
	}
	kept = slices.DeleteFunc(kept, func(k evaluation.Kept) bool { return k.Set != p.Set })
	for _, k := range kept {
		p.Kept = append(p.Kept, page.KeptLine{ID: k.ID, Question: k.Text, Expected: expected(ctx, k.Question)})
	}
	p.Missing, err = h.Evaluation.Missing(ctx, w, kept)
	return respond.Show(c, err, status, page.KeptPage(p))
}

func ids(sets []evaluation.Set) []domain.SetID {
	return lists.Map(sets, func(s evaluation.Set) domain.SetID { return s.ID })
}

// feedback lists answers that people judged, and whose questions are not kept.
func (h *Handler) feedback(ctx context.Context, w domain.WorkspaceID, kept []evaluation.Kept) ([]page.FeedbackLine, error) {
	judged, err := h.Ledger.Feedback(ctx, w, evaluation.MaxKept)
	var lines []page.FeedbackLine
	for _, j := range judged {
		if len(lines) == mostFeedback {
			break
		}
		if !slices.ContainsFunc(kept, func(k evaluation.Kept) bool { return k.Message == j.Message || k.Text == j.Question }) {
			lines = append(lines, page.FeedbackLine{Question: j.Question, Reason: j.Reason, Good: j.Good, URL: link.KeepQuestion(j.Message, j.Run)})
		}
	}
	return lines, err
}

// New serves the form of a question, filled in from the answer that the parameters
// message and run name.
func (h *Handler) New(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := page.QuestionFormProps{Back: link.With(link.KeptQuestions, "set", c.QueryParam("set")), Set: domain.SetID(c.QueryParam("set"))}
	if id := domain.MessageID(c.QueryParam("message")); id != "" {
		a, err := h.answer(ctx, w, id, domain.RunID(c.QueryParam("run")))
		if err != nil {
			return err
		}
		p.Question, p.Answer = a.Question, a.Text
		p.Message, p.Sources, p.Back = a.Message, cited(a.Citations), link.Turn(a.Conversation, a.Message)
	}
	return h.edit(c, http.StatusOK, p)
}

// answer returns the answer of a run to a message, or that to the message as it was asked if there is no such run.
func (h *Handler) answer(ctx context.Context, w domain.WorkspaceID, id domain.MessageID, run domain.RunID) (ledger.Answer, error) {
	if a, err := h.Ledger.Answer(ctx, w, run); err == nil && a.Message == id || domain.KindOf(err) != domain.NotFound && err != nil {
		return a, err
	}
	return h.Ledger.Message(ctx, w, id)
}

// cited lists the documents of citations, one a line, without those that are only close.
func cited(all []domain.Citation) string {
	var names []string
	for _, c := range all {
		if c.Document != "" && (!c.Close || c.Tie != "") && !slices.Contains(names, c.Document) {
			names = append(names, c.Document)
		}
	}
	return strings.Join(names, "\n")
}

func (h *Handler) edit(c echo.Context, status int, p page.QuestionFormProps) (err error) {
	if p.App, err = h.Frame.App(c, layout.Evaluation, lang.T(c.Request().Context(), "A question to evaluate by")); err != nil {
		return err
	}
	sets, err := h.Evaluation.Sets(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	p.Sets = choices(c.Request().Context(), sets, nil)
	return respond.HTML(c, status, page.QuestionFormPage(p))
}

// Edit serves the form of a question that is kept.
func (h *Handler) Edit(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	sets, err := h.Evaluation.Sets(ctx, w)
	if err != nil {
		return err
	}
	kept, err := h.Evaluation.Questions(ctx, w, ids(sets)...)
	if err != nil {
		return err
	}
	id := domain.QuestionID(c.Param("id"))
	i := slices.IndexFunc(kept, func(k evaluation.Kept) bool { return k.ID == id })
	if i < 0 {
		return domain.Errorf(domain.NotFound, "There is no question %s here. It may have been deleted.", id)
	}
	return h.edit(c, http.StatusOK, page.QuestionFormProps{
		ID: id, Set: kept[i].Set, Back: link.OfSet(link.KeptQuestions, kept[i].Set), Question: kept[i].Text, Answers: strings.Join(kept[i].Answers, "\n"), Sources: strings.Join(kept[i].Sources, "\n"),
	})
}

// Keep stores the question of the form, or changes the one it names.
func (h *Handler) Keep(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	k := evaluation.Kept{
		Question: evaluation.Question{Text: c.FormValue("question"), Answers: evaluation.Several(c.FormValue("answers"), "\n"), Sources: evaluation.Several(c.FormValue("sources"), "\n")},
		ID:       domain.QuestionID(c.FormValue("id")), Message: domain.MessageID(c.FormValue("message")),
	}
	set, err := h.Evaluation.FindSet(ctx, w, c.FormValue("set"))
	if err != nil {
		return err
	}
	if k.Set = set.ID; k.ID == "" {
		audit.Did(ctx, "eval questions add", string(set.ID))
		_, err = h.Evaluation.Keep(ctx, w, set.ID, k)
	} else {
		audit.Did(ctx, "eval questions change", string(k.ID))
		err = h.Evaluation.Change(ctx, w, k)
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge, domain.Conflict:
		problem := respond.Refusal(c, err)
		return h.edit(c, problem.Status, page.QuestionFormProps{
			ID: k.ID, Set: k.Set, Message: k.Message, Back: request.Local(c.FormValue("back"), link.KeptQuestions), Question: c.FormValue("question"),
			Answers: c.FormValue("answers"), Sources: c.FormValue("sources"), Problem: problem.Message,
		})
	}
	return respond.After(c, err, link.With(link.KeptQuestions, "set", c.FormValue("set"), "done", "kept"))
}

// Drop deletes a question; the page then offers to undo that.
func (h *Handler) Drop(c echo.Context) error {
	id := domain.QuestionID(c.Param("id"))
	err := h.Ledger.DropQuestion(c.Request().Context(), request.Workspace(c), id)
	return respond.After(c, err, link.With(request.Local(c.FormValue("back"), link.KeptQuestions), "undo", string(id)))
}

// Restore undoes the deletion of a question.
func (h *Handler) Restore(c echo.Context) error {
	err := h.Ledger.RestoreQuestion(c.Request().Context(), request.Workspace(c), domain.QuestionID(c.Param("id")))
	return respond.After(c, err, request.Local(c.FormValue("back"), link.KeptQuestions))
}

// Import adds the questions of a CSV file to a set.
func (h *Handler) Import(c echo.Context) error {
	file, err := c.FormFile("file")
	if err != nil {
		return h.questions(c, http.StatusUnprocessableEntity, page.KeptProps{Problem: lang.T(c.Request().Context(), "Choose a CSV file first.")})
	}
	f, err := file.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, w := c.Request().Context(), request.Workspace(c)
	set, err := h.Evaluation.FindSet(ctx, w, c.FormValue("set"))
	if err != nil {
		return err
	}
	questions, err := evaluation.Read(f)
	if err == nil {
		kept := make([]evaluation.Kept, len(questions))
		for i, q := range questions {
			kept[i].Question = q
		}
		_, err = h.Evaluation.Keep(ctx, w, set.ID, kept...)
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.TooLarge:
		problem := respond.Refusal(c, err)
		return h.questions(c, problem.Status, page.KeptProps{Problem: problem.Message})
	}
	return respond.After(c, err, link.With(link.KeptQuestions, "set", c.FormValue("set"), "done", "imported"))
}

// CSV serves the questions of a set as a file that Import reads.
func (h *Handler) CSV(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	set, err := h.Evaluation.FindSet(ctx, w, c.QueryParam("set"))
	if err != nil {
		return err
	}
	kept, err := h.Evaluation.Questions(ctx, w, set.ID)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := evaluation.Write(&b, kept); err != nil {
		return err
	}
	return file(c, "questions.csv", b.Bytes())
}

// RepliesCSV serves the replies of an evaluation as a table.
func (h *Handler) RepliesCSV(c echo.Context) error {
	e, err := h.Evaluation.Result(c.Request().Context(), request.Workspace(c), domain.EvaluationID(c.Param("id")))
	if err != nil {
		return err
	}
	var rows [][]string
	for _, r := range e.Score.Replies {
		rows = append(rows, []string{
			r.Text, strings.Join(r.Sources, "; "), strings.Join(r.Answers, "; "), string(r.Verdict), r.Answer, ranks(c.Request().Context(), r.Ranks),
			strconv.FormatInt(r.Millis, 10), strconv.Itoa(r.Tokens), r.Cost.Decimal(), string(r.Run), string(r.ByRule),
		})
	}
	content, err := format.Sheet([]string{"question", "sources", "answers", "verdict", "answer", "ranks", "ms", "tokens", "cost", "run", lang.T(c.Request().Context(), "by rule")}, rows)
	if err != nil {
		return err
	}
	return file(c, "evaluation-"+e.CreatedAt.Format("2006-01-02-1504")+".csv", content)
}

func file(c echo.Context, name string, content []byte) error {
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", content)
}

// setOf returns the set that a request names, or the one of the newest evaluation, or
// the first. A set that was deleted is still found by its evaluations.
func setOf(c echo.Context, sets []evaluation.Set, history []evaluation.Evaluation) (domain.SetID, error) {
	id := domain.SetID(c.FormValue("set"))
	for _, side := range []string{c.QueryParam("b"), c.QueryParam("a")} {
		if i := slices.IndexFunc(history, func(e evaluation.Evaluation) bool { return string(e.ID) == side }); id == "" && i >= 0 {
			id = history[i].Set
		}
	}
	if id == "" {
		if i := slices.IndexFunc(history, func(e evaluation.Evaluation) bool { return named(sets, e.Set) != "" }); i >= 0 {
			return history[i].Set, nil
		}
		return sets[0].ID, nil
	}
	if named(sets, id) == "" && !slices.ContainsFunc(history, func(e evaluation.Evaluation) bool { return e.Set == id }) {
		return "", domain.Errorf(domain.NotFound, "There is no set %s of questions here. It may have been deleted.", domain.Cut(string(id), 40))
	}
	return id, nil
}

// named returns the name of a set, or "" for one that is not there.
func named(sets []evaluation.Set, id domain.SetID) string {
	return lists.First(sets, func(s evaluation.Set) bool { return s.ID == id }).Name
}

// choices lists the sets, and those that were deleted and have evaluations.
func choices(ctx context.Context, sets []evaluation.Set, history []evaluation.Evaluation) []page.Option {
	var all []page.Option
	for _, s := range sets {
		all = append(all, page.Option{Value: string(s.ID), Says: s.Name + ", " + lang.Count(ctx, s.Questions, "question", "questions")})
	}
	for _, e := range history {
		known := func(o page.Option) bool { return o.Value == string(e.Set) }
		if !slices.ContainsFunc(all, known) {
			all = append(all, page.Option{Value: string(e.Set), Says: lang.T(ctx, "A deleted set")})
		}
	}
	return all
}

// ofSet returns the evaluations of a set.
func ofSet(history []evaluation.Evaluation, id domain.SetID) []evaluation.Evaluation {
	return slices.DeleteFunc(slices.Clone(history), func(e evaluation.Evaluation) bool { return e.Set != id })
}

// AddSet adds a set of questions.
func (h *Handler) AddSet(c echo.Context) error {
	set, err := h.Evaluation.AddSet(c.Request().Context(), request.Workspace(c), c.FormValue("name"))
	if handled, err := h.refusedName(c, err); handled || err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.KeptQuestions, "set", string(set.ID), "done", "set"))
}

// RenameSet renames a set of questions.
func (h *Handler) RenameSet(c echo.Context) error {
	id := domain.SetID(c.Param("id"))
	err := h.Evaluation.RenameSet(c.Request().Context(), request.Workspace(c), id, c.FormValue("name"))
	if handled, err := h.refusedName(c, err); handled || err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.KeptQuestions, "set", string(id), "done", "renamed"))
}

// refusedName serves the questions again for a name that can't be.
func (h *Handler) refusedName(c echo.Context, err error) (handled bool, _ error) {
	switch domain.KindOf(err) {
	case domain.Invalid, domain.Conflict, domain.TooLarge:
		problem := respond.Refusal(c, err)
		return true, h.questions(c, problem.Status, page.KeptProps{SetProblem: problem.Message})
	}
	return false, err
}

// DropSet deletes a set with its questions; the page then offers to undo that.
func (h *Handler) DropSet(c echo.Context) error {
	id := domain.SetID(c.Param("id"))
	return respond.After(c, h.Ledger.DropSet(c.Request().Context(), request.Workspace(c), id), link.With(link.KeptQuestions, "undo-set", string(id)))
}

// RestoreSet undoes the deletion of a set.
func (h *Handler) RestoreSet(c echo.Context) error {
	id := domain.SetID(c.Param("id"))
	return respond.After(c, h.Ledger.RestoreSet(c.Request().Context(), request.Workspace(c), id), link.OfSet(link.KeptQuestions, id))
}

// Judge sets or removes a person's verdict on a reply, and returns to the page it came from, which offers to undo it.
func (h *Handler) Judge(c echo.Context) error {
	id := domain.EvaluationID(c.Param("id"))
	n, err := strconv.Atoi(c.Param("n"))
	if err != nil {
		return domain.Errorf(domain.NotFound, "The evaluation has no question %s.", domain.Cut(c.Param("n"), 40))
	}
	before, err := h.Evaluation.Judge(c.Request().Context(), request.Workspace(c), id, n, evaluation.Verdict(c.FormValue("verdict")))
	if err != nil {
		return err
	}
	back, at, _ := strings.Cut(request.Local(c.FormValue("back"), link.OneEvaluation(id)), "#")
	at = cmp.Or(at, "question-"+strconv.Itoa(n))
	if c.FormValue("undone") == "" {
		back = link.With(back, "judged", string(id), "n", strconv.Itoa(n), "was", string(before))
	}
	return respond.SeeOther(c, back+"#"+at)
}

// judgedToast offers to undo the verdict that was given just before.
func judgedToast(c echo.Context, back string) layout.Toast {
	n, err := strconv.Atoi(c.QueryParam("n"))
	id := domain.EvaluationID(c.QueryParam("judged"))
	if id == "" || err != nil {
		return layout.Toast{}
	}
	return layout.Toast{Text: lang.T(c.Request().Context(), "The verdict was changed by hand."), Action: lang.T(c.Request().Context(), "Undo"), URL: link.With(link.Verdict(id, n), "verdict", c.QueryParam("was"), "undone", "yes"), Back: back}
}

// at adds the offset of a list to a URL, unless it is 0.
func at(offset int) string {
	if offset == 0 {
		return ""
	}
	return strconv.Itoa(offset)
}
