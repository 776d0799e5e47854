package document

import (
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
)

// Fetch queues documents to be fetched from the web, and goes to the run. It fails with kind Invalid if the request can't
// be carried out.
func (h *Handler) Fetch(c echo.Context) error {
	o := crawl.Order{Address: strings.TrimSpace(c.FormValue("address")), Below: strings.TrimSpace(c.FormValue("below")), Hold: c.FormValue(holdField) != ""}
	if o.Address != "" && !strings.Contains(o.Address, "://") {
		o.Address = "https://" + o.Address
	}
	switch c.FormValue("what") {
	case "site":
		o.Depth = crawl.UsualDepth
	case "sitemap":
		o.Sitemap = true
	}
	for field, into := range map[string]*int{"depth": &o.Depth, "most": &o.Most} {
		text := c.FormValue(field)
		if text == "" || o.Depth == 0 && !o.Sitemap {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return domain.Because(domain.Invalid, err, "%q is not a number.", domain.Cut(text, 20))
		}
		*into = n
	}
	if rate := c.FormValue("rate"); rate != "" {
		var err error
		if o.Rate, err = strconv.ParseFloat(rate, 64); err != nil {
			return domain.Because(domain.Invalid, err, "%q is not a number.", domain.Cut(rate, 20))
		}
	}
	how, err := h.how(c, c.FormValue)
	if err != nil {
		return err
	}
	o.Schema, o.Chunking = how.Schema, how.Chunking
	id, err := h.Crawl.Start(c.Request().Context(), request.Workspace(c), o)
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Run(id))
}
