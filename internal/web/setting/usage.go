package setting

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Usage serves the usage and the prices. All fields are required but Models.
type Usage struct {
	Frame  frame.Frame
	Costs  *costs.Service
	Ledger *ledger.Ledger
	Queue  *job.Queue
	Runs   *report.Runs
	Models []string // in use
	Now    domain.Clock
}

// dearest limits the documents that the page lists.
const dearest = 12

// Show serves the usage of the month in the parameter month, or of this month.
func (h *Usage) Show(c echo.Context) error { return h.show(c, http.StatusOK, nil, "") }

// show serves the page, with caps as they were sent and what is wrong with them.
func (h *Usage) show(c echo.Context, status int, sent map[costs.Scope]string, problem string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	month := h.month(c)
	used, err := h.Costs.Report(ctx, w, costs.DayOf(month), costs.DayOf(month.AddDate(0, 1, -1)))
	if err != nil {
		return err
	}
	standings, err := h.Costs.Standings(ctx, w)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Usage, lang.T(ctx, "Usage"))
	if err != nil {
		return err
	}
	p := page.UsageProps{
		App: app, Month: month.Format("2006-01"), Title: lang.Date(ctx, month, "January 2006"), Before: month.AddDate(0, -1, 0).Format("2006-01"),
		Total: used.Total.Spent.Short(), Said: said(ctx, used.Total), Unpriced: used.Total.Spent.Unknown, Problem: problem,
		Roles: usageLines(ctx, used.Lines[costs.ByRole], roleName), Models: usageLines(ctx, used.Lines[costs.ByModel], plain), People: usageLines(ctx, used.Lines[costs.ByPerson], personName),
		Caps: capLines(ctx, standings, used.Currency, sent), Currency: used.Currency,
	}
	if next := month.AddDate(0, 1, 0); !next.After(h.Now()) {
		p.After = next.Format("2006-01")
	}
	h.days(ctx, &p, used, month)
	for _, s := range standings {
		if s.Scope == costs.Day && s.Cap.Set && (s.Cap.Tokens > 0) == p.Tokens {
			p.CapOfDay, p.CapOfDayText = value(s.Cap.Money, s.Cap.Tokens, p.Tokens), lang.F(ctx, "cap of a day, %s", s.Cap.In(used.Currency))
		}
	}
	if p.Documents, p.MoreDocuments, err = h.documents(ctx, w, used.Lines[costs.ByDocument]); err != nil {
		return err
	}
	if p.Paused, err = h.paused(ctx, w); err != nil {
		return err
	}
	if role := frame.Session(c).Role; len(p.App.Workspaces) > 1 && (role == "" || role == domain.Owner) {
		if p.Workspaces, err = h.Costs.Workspaces(ctx, month); err != nil {
			return err
		}
	}
	last := month.AddDate(0, 1, -1)
	if p.Runs.By = runsBy(c); p.Runs.By == "" {
		return respond.HTML(c, status, page.UsagePage(p))
	}
	p.Runs, err = h.Runs.Analyse(ctx, report.AnalysisWanted{By: p.Runs.By, From: costs.DayOf(month), To: costs.DayOf(last)})
	return respond.Show(c, err, status, page.UsagePage(p))
}

// runsBy returns the grouping of runs in the parameter runs. Without it the page does not read them.
func runsBy(c echo.Context) string {
	if by := c.QueryParam("runs"); slices.Contains(report.AnalysisGroupings(), by) {
		return by
	}
	return ""
}

// month returns the first day of the month that is asked for.
func (h *Usage) month(c echo.Context) time.Time {
	now := h.Now().UTC()
	if at, err := time.Parse("2006-01", c.QueryParam("month")); err == nil {
		return at
	}
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func said(ctx context.Context, l costs.Line) string {
	text := lang.F(ctx, "%s, %s in", lang.Count(ctx, l.Spent.Calls, "call", "calls"), lang.Count(ctx, l.Usage.Input, "token", "tokens"))
	if l.Usage.Cached > 0 {
		text += lang.F(ctx, ", of them %s from the cache", lang.Int(ctx, l.Usage.Cached))
	}
	text += lang.F(ctx, "; %s out", lang.Int(ctx, l.Usage.Output))
	if l.Usage.Embedded > 0 {
		text += lang.F(ctx, "; %s embedded", lang.Int(ctx, l.Usage.Embedded))
	}
	return text
}

// part returns the part of a bar that shows a role.
func part(role string) int {
	switch role {
	case "extract":
		return 0
	case "write":
		return 1
	case "grade", "support":
		return 2
	}
	return 3
}

// days fills the bars of a month: in money, or in tokens where nothing has a price.
func (h *Usage) days(ctx context.Context, p *page.UsageProps, r costs.Report, month time.Time) {
	p.Tokens = r.Total.Spent.Money == 0
	of := lists.By(r.Lines[costs.ByDay], func(l costs.Line) string { return l.Key })
	today := costs.DayOf(h.Now())
	for at := month; at.Month() == month.Month(); at = at.AddDate(0, 0, 1) {
		l, d := of[costs.DayOf(at)], page.UsageDay{Number: at.Day(), Today: costs.DayOf(at) == today, Parts: make([]float64, len(page.UsageParts))}
		d.Text = l.Spent.Money.In(r.Currency)
		if p.Tokens {
			d.Text = lang.Int(ctx, l.Spent.Tokens)
		}
		for _, role := range l.Parts {
			d.Parts[part(role.Key)] += value(role.Spent.Money, role.Spent.Tokens, p.Tokens)
		}
		p.Days = append(p.Days, d)
	}
}

// value returns a bar's height: units of money, or tokens.
func value(m costs.Money, tokens int, inTokens bool) float64 {
	if inTokens {
		return float64(tokens)
	}
	return float64(m) / 1e6
}

// usageLines lists usage by a name.
func usageLines(ctx context.Context, all []costs.Line, name func(ctx context.Context, key string) string) []page.UsageLine {
	var most costs.Money
	for _, l := range all {
		most = max(most, l.Spent.Money)
	}
	out := make([]page.UsageLine, len(all))
	for i, l := range all {
		out[i] = page.UsageLine{
			Name: name(ctx, l.Key), Calls: l.Spent.Calls, Input: l.Usage.Input, Output: l.Usage.Output, Cached: l.Usage.Cached, Embedded: l.Usage.Embedded,
			Cost: l.Spent.Short(),
		}
		if most > 0 {
			out[i].Share = int(100 * l.Spent.Money / most)
		}
	}
	return out
}

func plain(_ context.Context, key string) string { return key }

func personName(ctx context.Context, key string) string {
	return cmp.Or(key, lang.T(ctx, "nobody signed in"))
}

var roleNames = map[string]string{
	"extract": "Read documents", "fields": "Fill in fields", "embed": "Embed", "grade": "Grade", "support": "Check answers", "write": "Write answers", "rewrite": "Reword questions", "condense": "Understand questions",
	"chart": "Draw charts", "propose": "Propose schemas", "probe": "Test connections",
}

func roleName(ctx context.Context, key string) string {
	if name := roleNames[key]; name != "" {
		return lang.T(ctx, name)
	}
	if key == "" {
		return lang.T(ctx, "Other")
	}
	return format.Capital(key)
}

// documents lists the dearest documents by name. What was spent on none is one line.
func (h *Usage) documents(ctx context.Context, w domain.WorkspaceID, all []costs.Line) (shown []page.UsageLine, more int, err error) {
	if len(all) > dearest {
		all, more = all[:dearest], len(all)-dearest
	}
	names, err := h.names(ctx, w, all)
	if err != nil {
		return nil, 0, err
	}
	shown = usageLines(ctx, all, func(_ context.Context, key string) string { return names[key] })
	for i, l := range all {
		if _, ok := names[l.Key]; ok && l.Key != "" && l.Key != costs.Limited && names[l.Key] != gone {
			shown[i].URL = link.Document(domain.DocumentID(l.Key))
		}
	}
	return shown, more, nil
}

const gone = "a deleted document"

func (h *Usage) names(ctx context.Context, w domain.WorkspaceID, all []costs.Line) (map[string]string, error) {
	names, ids := map[string]string{"": lang.T(ctx, "questions, summaries and the rest"), costs.Limited: costs.Limited}, []string(nil)
	for _, l := range all {
		if l.Key != "" && l.Key != costs.Limited {
			names[l.Key] = gone
			ids = append(ids, l.Key)
		}
	}
	found, err := h.Ledger.DocumentsByID(ctx, w, run.IDs[domain.DocumentID](ids))
	for _, d := range found {
		names[string(d.ID)] = d.Name
	}
	return names, err
}

// paused counts the documents and summaries that wait for a cap.
func (h *Usage) paused(ctx context.Context, w domain.WorkspaceID) (int, error) {
	return h.Queue.Count(ctx, w, job.Query{Status: []job.Status{job.Capped}})
}

func capLines(ctx context.Context, standings []costs.Standing, currency string, sent map[costs.Scope]string) []page.CapLine {
	var out []page.CapLine
	for _, s := range standings {
		l := page.CapLine{Scope: string(s.Scope), Title: s.Scope.Title(), Value: s.Cap.Text(), Reached: s.Reached, Meter: s.Cap.Set && !s.Scope.OfEach()}
		if text, ok := sent[s.Scope]; ok {
			l.Value = text
		}
		if !s.Scope.OfEach() {
			l.Said = s.Spent.Short()
			if s.Cap.Tokens > 0 {
				l.Said = lang.Int(ctx, s.Spent.Tokens)
			}
			if s.Cap.Set {
				l.Said += lang.F(ctx, " of %s", s.Cap.In(currency))
			}
		}
		switch {
		case s.Cap.Tokens > 0:
			l.Percent = 100 * s.Spent.Tokens / s.Cap.Tokens
		case s.Cap.Money > 0:
			l.Percent = int(100 * s.Spent.Money / s.Cap.Money)
		}
		out = append(out, l)
	}
	return out
}

// SetCaps changes the caps in the form, and lets waiting work continue.
func (h *Usage) SetCaps(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form can't be read.")
	}
	change, sent, problem := costs.Caps{}, map[costs.Scope]string{}, ""
	for _, scope := range costs.Scopes() {
		if !form.Has(string(scope)) {
			continue
		}
		sent[scope] = form.Get(string(scope))
		limit, err := costs.ParseCap(sent[scope])
		if err != nil {
			problem = domain.InWords(err)
		}
		change[scope] = limit
		audit.Did(c.Request().Context(), "usage caps", string(scope))
	}
	if problem != "" {
		return h.show(c, http.StatusUnprocessableEntity, sent, problem)
	}
	return respond.After(c, h.Costs.SetCaps(c.Request().Context(), request.Workspace(c), change), link.With(link.Usage, "done", "caps"))
}

// CSV serves the usage of a month by the parameter by.
func (h *Usage) CSV(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	by := costs.Grouping(c.QueryParam("by"))
	if !slices.Contains(costs.Groupings(), by) {
		return respond.BadRequest("The parameter by must be day, model, role, document or person.")
	}
	month := h.month(c)
	report, err := h.Costs.Report(ctx, w, costs.DayOf(month), costs.DayOf(month.AddDate(0, 1, -1)))
	if err != nil {
		return err
	}
	names := map[string]string{}
	if by == costs.ByDocument {
		if names, err = h.names(ctx, w, report.Lines[by]); err != nil {
			return err
		}
	}
	head, rows := report.Sheet(by, names)
	content, err := format.Sheet(head, rows)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="usage-`+month.Format("2006-01")+`-`+string(by)+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", content)
}

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
