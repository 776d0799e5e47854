package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Fork serves the form that forks a run at the step of the parameter step. It fails
// with kind NotFound for an unknown run or step, and Invalid where nothing can be forked.
func (h *Handler) Fork(c echo.Context) error {
	return h.forkForm(c, http.StatusOK, nil, nil)
}

// StartFork begins a branch and redirects to its run. If the changes can't be made, it shows the form again, with an
// error at each field.
func (h *Handler) StartFork(c echo.Context) error {
	values, err := submitted(c)
	if err != nil {
		return err
	}
	changes, err := questions.ParseChanges(values)
	var b ledger.Answer
	if err == nil {
		b, err = h.Ask.Vary(c.Request().Context(), questions.Variation{
			Workspace: request.Workspace(c), Parent: domain.RunID(c.Param("id")), Step: request.Int(c, "step"), Purpose: questions.Fork, Changes: changes, Form: request.FormKey(c),
		})
	}
	problems, wrong := errors.AsType[questions.Problems](err)
	if !respond.WantsJSON(c) && (wrong || domain.KindOf(err) == domain.TooMany) {
		problem := respond.Refusal(c, err)
		if !wrong {
			problems = questions.Problems{{Says: problem.Message}}
		}
		return h.forkForm(c, problem.Status, values, problems)
	}
	return respond.After(c, err, link.Run(b.Run))
}

// submitted returns the fields of the form that were filled in. An empty one changes
// nothing.
func submitted(c echo.Context) (map[string]string, error) {
	form, err := c.FormParams()
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	values := map[string]string{}
	for name := range form {
		value := form.Get(name)
		if name == "step" || name == "form_key" || strings.TrimSpace(value) == "" && name != questions.FieldMethod {
			continue
		}
		values[name] = value
	}
	return values, nil
}

// forkForm serves the form, with the submitted values and their errors, if any.
func (h *Handler) forkForm(c echo.Context, status int, values map[string]string, wrong questions.Problems) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	r, err := h.Runs.Queue.Get(ctx, w, domain.RunID(c.Param("id")))
	if err != nil {
		return err
	}
	n := request.Int(c, "step")
	point, err := h.Ask.At(ctx, w, r.ID, n)
	if err != nil {
		return err
	}
	ahead := h.Ask.Ahead(point)
	if len(ahead) == 0 {
		return domain.Errorf(domain.Invalid, "Nothing runs after step %d, so nothing can be changed there. Choose an earlier step.", n)
	}
	about, err := h.Runs.Kinds.Subjects(ctx, r)
	if err != nil {
		return err
	}
	e := editor{h.Ask, point, values, wrong}
	p := page.ForkProps{
		Run: r.ID, Subject: about[0].Title, N: n, Graph: r.Kind, After: after(point), Ahead: ahead, Problem: wrong.Of(""),
		Question: e.question(ctx), Rewrite: e.rewrite(ctx), Loops: e.loops(ctx), Method: e.method(ctx), Model: e.model(ctx),
		Graded: h.Ask.Closed(point, questions.FieldGrade), Prompted: e.closedPrompts(),
	}
	if p.Graded == "" {
		p.Passages = e.passages()
	}
	if p.Prompted == "" {
		if p.Prompts, err = e.prompts(c); err != nil {
			return err
		}
	}
	if p.Cost, err = h.calls(c, r, n); err != nil {
		return err
	}
	p.App, err = h.Frame.App(c, layout.Runs, lang.F(ctx, "Run on from step %d", n))
	return respond.Show(c, err, status, page.ForkPage(p))
}

// after lists the nodes that ran before the point, none at the start.
func after(p questions.Point) []string {
	if slices.Contains(p.Nodes, stategraph.Start) {
		return nil
	}
	return p.Nodes
}

// calls describes the cost of continuing from a step, based on what the run did after it.
func (h *Handler) calls(c echo.Context, r job.Run, n int) (string, error) {
	events, err := h.Runs.Hub.Events(c.Request().Context(), r.Workspace, r.ID, 0)
	if err != nil {
		return "", err
	}
	moments, v := trace.Moments(r.ID, h.Runs.Kinds.Named(r.Kind).Topology, events)
	calls, tokens := 0, 0
	for _, m := range moments[min(n+1, len(moments)):] {
		for _, row := range m.Rows {
			calls += len(v.Steps[row-1].Usages)
			tokens += v.Steps[row-1].Tokens()
		}
	}
	if calls == 0 {
		return lang.T(c.Request().Context(), "No model was called from here on, so this costs only time."), nil
	}
	return lang.F(c.Request().Context(), "From here the run used %s and %s. Calls identical to recorded ones are not paid again.",
		lang.Count(c.Request().Context(), calls, "call", "calls"), lang.Count(c.Request().Context(), tokens, "token", "tokens")), nil
}

// editor fills in the form.
type editor struct {
	service *questions.Service
	point   questions.Point
	values  map[string]string // as submitted; nil until then
	wrong   questions.Problems
}

// field returns a field with its value: as submitted, or as the state has it.
func (e editor) field(name, label, value string) page.ForkField {
	if submitted, ok := e.values[name]; ok {
		value = submitted
	}
	return page.ForkField{Name: name, Label: label, Value: value, Closed: e.service.Closed(e.point, name), Problem: e.wrong.Of(name)}
}

func (e editor) question(ctx context.Context) page.ForkField {
	return e.field(questions.FieldQuestion, lang.T(ctx, "Question"), e.point.State.Current().Question)
}

func (e editor) rewrite(ctx context.Context) page.ForkField {
	now := e.point.State.Current().Rewrite
	f := e.field(questions.FieldRewrite, lang.T(ctx, "Rewrite, if another is needed"), now)
	if now != "" {
		f.Label = lang.T(ctx, "Rewrite to search with")
	} else if f.Closed == "" {
		f.Hint = lang.T(ctx, "Empty: it is written as usual")
	}
	return f
}

func (e editor) loops(ctx context.Context) page.ForkField {
	f := e.field(questions.FieldLoops, lang.T(ctx, "Loops in all"), strconv.Itoa(e.point.State.MaxLoops))
	if used := e.point.State.LoopCount; used > 0 && f.Closed == "" {
		f.Hint = lang.Count(ctx, used, "is used", "are used")
	}
	return f
}

func (e editor) method(ctx context.Context) page.ForkField {
	f := e.field(questions.FieldMethod, lang.T(ctx, "Search method"), string(e.point.State.Method))
	for _, m := range []domain.MethodName{domain.MethodDefault, domain.MethodWords, domain.MethodVectors, domain.MethodHybrid, domain.MethodWalk} {
		if !m.ByVectors() || e.service.Vectors || m == e.point.State.Method {
			f.Choices = append(f.Choices, page.ForkChoice{Value: string(m), Says: lang.T(ctx, questions.MethodTitle(m))})
		}
	}
	return f
}

func (e editor) model(ctx context.Context) page.ForkField {
	f := e.field(questions.FieldModel, lang.T(ctx, "Model"), "")
	for _, name := range e.service.Models {
		f.Choices = append(f.Choices, page.ForkChoice{Value: name})
	}
	if f.Closed == "" {
		f.Hint = lang.F(ctx, "Empty: %s", e.service.Models[0])
	}
	return f
}

func (e editor) passages() []page.ForkPassage {
	var list []page.ForkPassage
	for _, g := range e.point.State.Result().Documents {
		if g.Verdict == "" {
			continue
		}
		name := questions.FieldGrade + string(g.Chunk)
		p := page.ForkPassage{
			Name: name, Title: g.Where(), URL: link.Chunk(g.Chunk),
			Was: g.Verdict == domain.Relevant, Reason: g.Reason, Problem: e.wrong.Of(name),
		}
		p.Relevant = p.Was
		if v, ok := e.values[name]; ok {
			p.Relevant = v == "relevant"
		}
		list = append(list, p)
	}
	return list
}

// roles are those whose prompts an answer uses.
var roles = []string{answer.RoleCondense, answer.RoleGrade, answer.RoleRewrite, answer.RoleWrite, chart.Prompt().Role, answer.RoleSupport}

// closedPrompts describes why no prompt can be chosen, or "" if one can.
func (e editor) closedPrompts() (why string) {
	for _, role := range roles {
		if why = e.service.Closed(e.point, questions.FieldPrompt+role); why == "" {
			return ""
		}
	}
	return why
}

func (e editor) prompts(c echo.Context) ([]page.ForkPrompt, error) {
	var list []page.ForkPrompt
	for _, role := range roles {
		version := e.field(questions.FieldPrompt+role, lang.T(c.Request().Context(), "Version"), "")
		if version.Closed != "" {
			continue
		}
		all, err := e.service.Prompts.Versions(c.Request().Context(), request.Workspace(c), role)
		if err != nil {
			return nil, err
		}
		version.Choices = []page.ForkChoice{{Says: lang.T(c.Request().Context(), "as the run used it")}}
		for _, v := range all {
			version.Choices = append(version.Choices, page.ForkChoice{Value: strconv.Itoa(v.Number), Says: strings.TrimSuffix(fmt.Sprintf("%d, %s", v.Number, v.Note), ", ")})
		}
		list = append(list, page.ForkPrompt{Role: role, Version: version, Draft: e.field(questions.FieldDraft+role, lang.T(c.Request().Context(), "Or a draft, in place of a version"), "")})
	}
	return list, nil
}

// AskDeleteBranch serves the page that asks whether to delete a branch.
func (h *Handler) AskDeleteBranch(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	b, err := h.Ledger.Branch(ctx, w, domain.BranchID(c.Param("id")))
	if err != nil {
		return err
	}
	all, err := h.Ledger.BranchesOf(ctx, w, b.Message)
	if err != nil {
		return err
	}
	says := lang.T(ctx, "Its answer and the steps of its run are permanently removed. The turn and its other branches stay.")
	switch more := begunFrom(b, all); more {
	case 0:
	case 1:
		says = lang.T(ctx, "Its answer and the steps of its run are permanently removed, and so is the branch that forks from them. The turn stays.")
	default:
		says = lang.F(ctx, "Its answer and the steps of its run are permanently removed, and so are the %d branches that fork from them. The turn stays.", more)
	}
	return h.Frame.Deletion(c, layout.Runs, lang.T(ctx, "Delete a branch"), page.Deletion{
		Thing: "branch", Title: lang.Sentence(ctx, questions.BranchTitle(b)), Says: says, URL: link.DeleteBranch(b.Branch), Cancel: link.Run(b.Run),
	})
}

// begunFrom counts the branches that begin at a branch's steps, or at theirs.
func begunFrom(b ledger.Answer, all []ledger.Answer) int {
	n, within := 0, -1
	for _, node := range questions.BranchTree(all) {
		switch {
		case node.Branch == b.Branch:
			within = node.Depth
		case within >= 0 && node.Depth > within:
			n++
		default:
			within = -1
		}
	}
	return n
}

// DeleteBranch deletes a branch and goes to the run of its turn.
func (h *Handler) DeleteBranch(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	b, err := h.Ledger.Branch(ctx, w, domain.BranchID(c.Param("id")))
	if err != nil {
		return err
	}
	m, err := h.Ledger.Message(ctx, w, b.Message)
	if err != nil {
		return err
	}
	return respond.After(c, h.Ask.DeleteBranch(ctx, w, b.Branch), link.Run(m.Run))
}
