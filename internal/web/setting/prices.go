package setting

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Prices serves the list of prices.
func (h *Usage) Prices(c echo.Context) error {
	return h.prices(c, http.StatusOK, page.PriceForm{From: costs.DayOf(h.Now())}, "")
}

func (h *Usage) prices(c echo.Context, status int, form page.PriceForm, problem string) error {
	all, err := h.Costs.Prices.Table(c.Request().Context())
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Usage, lang.T(c.Request().Context(), "Prices"))
	if err != nil {
		return err
	}
	p := page.PricesProps{App: app, File: h.Costs.Prices.Path(), Currency: all.Currency, Today: costs.DayOf(h.Now()), Form: form, Problem: problem}
	for _, model := range h.Models {
		if _, ok := all.Of(model, p.Today); !ok && !slices.Contains(p.Missing, model) {
			p.Missing = append(p.Missing, model)
		}
	}
	for _, price := range all.Prices {
		line := page.PriceLine{
			Models: strings.Join(price.Models, ", "), From: price.From, Own: price.Own, Input: amount(price.Input, all.Currency),
			Cached: amount(price.Cached, all.Currency), Output: amount(price.Output, all.Currency), Embedding: amount(price.Embedding, all.Currency),
			Source: lang.F(c.Request().Context(), "%s, seen %s", price.Where, price.Checked),
		}
		if price.Own {
			line.Source = cmp.Or(price.Where, lang.T(c.Request().Context(), "your own"))
		}
		p.Prices = append(p.Prices, line)
	}
	return respond.HTML(c, status, page.PricesPage(p))
}

func amount(m *costs.Money, currency string) string {
	if m == nil {
		return "–"
	}
	return m.In(currency)
}

// SetPrice sets an own price.
func (h *Usage) SetPrice(c echo.Context) error {
	form := page.PriceForm{
		Model: strings.TrimSpace(c.FormValue("model")), From: cmp.Or(c.FormValue("from"), costs.DayOf(h.Now())),
		Input: c.FormValue("input"), Cached: c.FormValue("cached"), Output: c.FormValue("output"), Embedding: c.FormValue("embedding"),
	}
	price, err := costs.Written(form.Model, form.From, form.Input, form.Cached, form.Output, form.Embedding)
	if err == nil {
		err = h.Costs.SetPrice(c.Request().Context(), price)
	}
	switch domain.KindOf(err) {
	case domain.Invalid:
		return h.prices(c, http.StatusUnprocessableEntity, form, domain.InWords(err))
	default:
		if err != nil {
			return err
		}
	}
	return respond.SeeOther(c, link.With(link.Prices, "done", "price"))
}
