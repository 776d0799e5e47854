package setting

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/upkeep/retention"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// Audit serves the page of who did what. All fields are required.
type Audit struct {
	Frame frame.Frame
	Desk  audit.Desk
	Keep  retention.Keeper
}

// wanted reads the fields of the form that selects rows.
func wanted(c echo.Context) audit.Wanted {
	return audit.Wanted{
		Person: c.QueryParam("person"), Action: c.QueryParam("action"), Thing: c.QueryParam("thing"), Address: c.QueryParam("address"), Result: c.QueryParam("result"),
		Words: c.QueryParam("words"), Since: c.QueryParam("since"), Until: c.QueryParam("until"), Everywhere: c.QueryParam("everywhere") != "",
	}
}

// Show serves the trail, newest first.
func (h *Audit) Show(c echo.Context) error {
	ctx := c.Request().Context()
	p := page.AuditProps{Wanted: wanted(c), After: c.QueryParam("after"), Owner: h.Desk.Everywhere(ctx)}
	var err error
	if p.App, err = h.Frame.App(c, layout.Audit, lang.T(ctx, "What was done")); err != nil {
		return err
	}
	if p.People, p.Actions, err = h.Desk.People(ctx, p.Wanted.Everywhere); err != nil {
		return err
	}
	kept, err := h.Keep.Preview(ctx, retention.Wanted{})
	if err != nil {
		return err
	}
	p.Kept = lists.Map(kept.Sentences(), func(sentence string) string { return lang.Sentence(ctx, sentence) })
	status := http.StatusOK
	if p.Rows, err = audit.List.Do(h.Desk, ctx, audit.Listing{Wanted: p.Wanted, Limit: request.PageSize + 1, After: p.After}); err == nil {
		p.Total, err = h.Desk.Count(ctx, p.Wanted)
	}
	if domain.KindOf(err) == domain.Invalid {
		problem := respond.Refusal(c, err)
		status, p.Problem, err = problem.Status, problem.Message, nil
	}
	if err != nil {
		return err
	}
	if len(p.Rows) > request.PageSize {
		p.Rows = p.Rows[:request.PageSize]
		p.Older = p.Rows[len(p.Rows)-1].ID
	}
	return respond.HTML(c, status, page.AuditPage(p))
}

// Export serves the rows as JSON lines.
func (h *Audit) Export(c echo.Context) error {
	made, err := audit.Export.Do(h.Desk, c.Request().Context(), wanted(c))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentType, made.Type)
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="trail.jsonl"`)
	if err = made.Write(c.Response()); err != nil && c.Response().Committed { // only a dropped connection shows that the file is incomplete
		panic(http.ErrAbortHandler)
	}
	return err
}
