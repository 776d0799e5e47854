package evaluation

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

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
	for _, s := range sets {
		if s.ID == id {
			return s.Name
		}
	}
	return ""
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
