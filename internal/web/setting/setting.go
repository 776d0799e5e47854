// Package setting serves the pages that owners manage and watch: the settings with the models,
// prompts, usage with caps and prices, and the health of the stores.
package setting

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the settings. All fields are required.
type Handler struct {
	Frame      frame.Frame
	Overview   *settings.Overview
	Models     Models
	Library    *documents.Service
	Unembedded func(ctx context.Context) bool // the search index has no vectors from the embedding model
}

// Models are those in use.
type Models interface {
	// Test calls them and reports the results.
	Test(ctx context.Context) []llm.Check
}

// Show serves the settings in effect.
func (h *Handler) Show(c echo.Context) error {
	p, err := h.props(c)
	return respond.Show(c, err, http.StatusOK, page.SettingsPage(p))
}

// TestConnection calls the models in use and shows which of them answer.
func (h *Handler) TestConnection(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	p.Results = lines(h.Models.Test(c.Request().Context()))
	return respond.Page(c, page.SettingsPage(p), partial.Checks("checks", p.Results))
}

// Set sets the settings of a form, all or none. A form that is refused is shown again, with what was typed.
func (h *Handler) Set(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	opened := form.Get("open")
	changes := map[string]string{}
	for key := range form {
		if key != "open" && strings.ToUpper(key) == key {
			changes[key] = form.Get(key)
		}
	}
	audit.Did(c.Request().Context(), "settings set", slices.Sorted(maps.Keys(changes))...)
	changed, err := h.Overview.Book.Set(c.Request().Context(), changes)
	if settings.Wrong(err) {
		p, failed := h.props(c)
		if failed != nil {
			return failed
		}
		row := rowIn(&p, opened)
		if row == nil {
			return err
		}
		refuse(row, changes, err)
		return respond.HTML(c, http.StatusUnprocessableEntity, page.SettingsPage(p))
	}
	return respond.After(c, err, changedPage(changed, opened))
}

// refuse shows the form of a row again, with the submitted value and its error.
func refuse(row *page.SettingRow, typed map[string]string, err error) {
	problems := settings.Problems(err, lists.Map(row.Fields, func(f page.SettingField) string { return f.Key }))
	row.Open, row.Care = true, problems[""]
	for i, f := range row.Fields {
		if value, ok := typed[f.Key]; ok {
			row.Fields[i].Value = value
		}
		row.Fields[i].Problem = problems[f.Key]
		if f.Fixed {
			row.Care = cmp.Or(row.Care, problems[f.Key])
		}
	}
}

// changedPage returns the address of the page that says what changed. It names the row whose button gets the focus in a
// parameter: a browser gives none where the address has a fragment.
func changedPage(changed []string, opened string) string {
	address := link.With(link.Settings, "closed", opened)
	for _, key := range changed {
		address = link.And(address, "changed", key)
	}
	return address
}

// Undo puts back what settings were before they were set.
func (h *Handler) Undo(c echo.Context) error {
	changed, err := h.Overview.Book.Undo(c.Request().Context(), c.QueryParams()["setting"]...)
	return respond.After(c, err, changedPage(changed, ""))
}

// rowID returns the id of a row's element.
func rowID(id string) string { return "row-" + id }
