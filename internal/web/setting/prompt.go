package setting

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prompts/tryout"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/worddiff"
)

// Prompts serves prompts. All fields are required.
type Prompts struct {
	Frame   frame.Frame
	Prompts *prompts.Book
	Tryout  *tryout.Service
}

// List serves the list of roles.
func (h *Prompts) List(c echo.Context) error {
	app, err := h.Frame.App(c, layout.Settings, lang.T(c.Request().Context(), "Prompts"))
	if err != nil {
		return err
	}
	p := page.PromptsProps{App: app}
	now, err := h.Prompts.CurrentAll(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	for i, prompt := range h.Prompts.Prompts() {
		p.Prompts = append(p.Prompts, page.PromptLine{Role: prompt.Role, About: prompt.About, Edited: prompt.Edited(now[i]), Version: now[i]})
	}
	return respond.HTML(c, http.StatusOK, page.PromptsPage(p))
}

// Show serves the editor of a role's prompt, NotFound if there is no such role.
func (h *Prompts) Show(c echo.Context) error {
	return h.editor(c, http.StatusOK, func(p *page.PromptProps) {
		from, to := c.QueryParam("from"), c.QueryParam("to")
		if from == "" && to == "" {
			return
		}
		p.From, p.To = request.Int(c, "from"), request.Int(c, "to")
		p.Diff = worddiff.Lines(textOf(p.Versions, p.From), textOf(p.Versions, p.To))
	})
}

func textOf(all []domain.PromptVersion, number int) string {
	return lists.First(all, func(v domain.PromptVersion) bool { return v.Number == number }).Text
}

// editor serves the page of a prompt, changed by set.
func (h *Prompts) editor(c echo.Context, status int, set func(*page.PromptProps)) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	prompt, err := h.Prompts.Prompt(c.Param("role"))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Settings, lang.F(ctx, "Prompt %s", prompt.Role))
	if err != nil {
		return err
	}
	all, err := h.Prompts.Versions(ctx, w, prompt.Role)
	if err != nil {
		return err
	}
	p := page.PromptProps{App: app, Prompt: prompt, Versions: all, Text: all[0].Text, Base: all[0].Number, CanTry: h.Tryout.Can(prompt.Role)}
	set(&p)
	return respond.HTML(c, status, page.PromptPage(p))
}

// Save stores the text of the form as a new version, or shows the form again with an error.
func (h *Prompts) Save(c echo.Context) error {
	return h.save(c, c.FormValue("text"), c.FormValue("note"))
}

// Restore makes the text of a version a new one. The built-in text, version 0,
// resets the prompt.
func (h *Prompts) Restore(c echo.Context) error {
	number, _ := strconv.Atoi(c.FormValue("number")) // 0 means the built-in text
	v, err := h.Prompts.Version(c.Request().Context(), request.Workspace(c), c.Param("role"), number)
	if err != nil {
		return err
	}
	note := "version " + strconv.Itoa(number) + " again"
	if number == 0 {
		note = "reset to the built-in text"
	}
	return h.save(c, v.Text, note)
}

func (h *Prompts) save(c echo.Context, text, note string) error {
	base, _ := strconv.Atoi(c.FormValue("base"))
	v := domain.PromptVersion{Role: c.Param("role"), Text: text, Note: note, Who: frame.User(c)}
	saved, err := h.Prompts.Save(c.Request().Context(), request.Workspace(c), v, base)
	if problem, status := refused(err); problem != "" {
		return h.editor(c, status, func(p *page.PromptProps) {
			p.Text, p.Note, p.Base, p.Problem = text, note, base, problem
			if status == http.StatusConflict {
				p.From, p.To = base, p.Versions[0].Number
				p.Diff = worddiff.Lines(text, p.Versions[0].Text)
			}
		})
	}
	return respond.After(c, err, link.Prompt(saved.Role)+"?done=prompt")
}

// refused returns the error of a form, and the status.
func refused(err error) (string, int) {
	statuses := map[domain.Kind]int{
		domain.Invalid: http.StatusUnprocessableEntity, domain.TooLarge: http.StatusUnprocessableEntity,
		domain.Unsupported: http.StatusUnprocessableEntity, domain.Conflict: http.StatusConflict,
	}
	if _, ok := errors.AsType[*domain.Error](err); !ok || statuses[domain.KindOf(err)] == 0 {
		return "", 0
	}
	return domain.InWords(err), statuses[domain.KindOf(err)]
}

// Try shows the results of the text of the form and of the text in force.
func (h *Prompts) Try(c echo.Context) error {
	role, text, words := c.Param("role"), c.FormValue("text"), c.FormValue("words")
	trial, err := h.Tryout.Try(c.Request().Context(), request.Workspace(c), role, text, words)
	problem, status := refused(err)
	if err != nil && problem == "" {
		return err
	}
	if err == nil {
		status = http.StatusOK
	}
	return h.editor(c, status, func(p *page.PromptProps) {
		base, _ := strconv.Atoi(c.FormValue("base"))
		p.Text, p.Note, p.Words, p.Base, p.Problem = text, c.FormValue("note"), words, base, problem
		if err == nil {
			p.Trial = &trial
		}
	})
}
