package conversation

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/table"
)

// byteOrderMark tells a spreadsheet that a file is UTF-8.
const byteOrderMark = "\ufeff"

// FigureSource shows where a number of a chart comes from, as Source does.
func (h *Handler) FigureSource(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, chart, err := h.chart(c)
	if err != nil {
		return err
	}
	p := partial.SourceProps{Conversation: m.Conversation, Message: m.ID, Figure: figureID(c)}
	source, err := h.source(ctx, w, p, chart.Citations, c.Param("n"))
	return h.opened(c, source, err)
}

// FigureCSV hands over the table of a chart as a file.
func (h *Handler) FigureCSV(c echo.Context) error {
	_, chart, err := h.chart(c)
	if err != nil {
		return err
	}
	text, err := table.CSV(chart)
	if err != nil {
		return err
	}
	name := mime.FormatMediaType("attachment", map[string]string{"filename": partial.FigureName(chart.Title) + ".csv"})
	c.Response().Header().Set(echo.HeaderContentDisposition, name)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", append([]byte(byteOrderMark), text...))
}

// figureID is the chart that an address names, as the model named its call. The
// router hands parts of an address over as they came where that matters.
func figureID(c echo.Context) string {
	id := c.Param("figure")
	if c.Request().URL.RawPath == "" {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// chart is the finished chart that an address names, and its message.
func (h *Handler) chart(c echo.Context) (ledger.Message, domain.Chart, error) {
	m, err := h.message(c)
	if err != nil {
		return m, domain.Chart{}, err
	}
	figures, err := h.figures(c.Request().Context(), request.Workspace(c), m)
	if err != nil {
		return m, domain.Chart{}, err
	}
	id := figureID(c)
	i := slices.IndexFunc(figures, func(f domain.Figure) bool { return f.ID == id && f.Chart != nil })
	if i < 0 {
		return m, domain.Chart{}, domain.Errorf(domain.NotFound, "The answer has no such chart.")
	}
	return m, *figures[i].Chart, nil
}

// figures are the charts of an answer, those of one that is being written too.
func (h *Handler) figures(ctx context.Context, w domain.WorkspaceID, m ledger.Message) ([]domain.Figure, error) {
	v, err := h.Runs.View(ctx, w, questions.Kind, m.Run)
	if err != nil {
		return nil, err
	}
	return present.Figures(m, v), nil
}
