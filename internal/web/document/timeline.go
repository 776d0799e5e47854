package document

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/timeline"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// mostEvents is how many dates a timeline's page lists.
const mostEvents = 500

// Timeline serves the dates that documents name. Errors in the request are shown above the list.
func (h *Handler) Timeline(c echo.Context) error {
	app, err := h.Frame.App(c, layout.Documents, "Timeline")
	if err != nil {
		return err
	}
	p := page.TimelineProps{App: app, Wanted: timeline.Wanted{
		Words: c.QueryParam("words"), Since: c.QueryParam("since"), Until: c.QueryParam("until"), Within: c.QueryParams()["within"], Limit: mostEvents,
	}}
	p.Timeline, err = h.Timelines.Timeline(c.Request().Context(), p.Wanted)
	status := http.StatusOK
	switch domain.KindOf(err) {
	case domain.Invalid, domain.NotFound:
		p.Problem, status, err = domain.InWords(err), http.StatusUnprocessableEntity, nil
	}
	return respond.Show(c, err, status, page.TimelinePage(p))
}
