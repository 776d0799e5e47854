package setting

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// errRate is the error for a limit that is not a number.
var errRate = domain.Errorf(domain.Invalid, "Calls and tokens per minute should be whole numbers, or empty for no limit.")

// filled returns the contents of a form: the model of a role, and for answers also the embedding model of the same
// server, if one is named.
func filled(c echo.Context) ([]connections.Connection, error) {
	one := connections.Connection{
		Role: connections.Role(cmp.Or(c.FormValue("role"), string(connections.Answer))), Server: c.FormValue("server"), Address: c.FormValue("address"),
		Model: c.FormValue("model"), Key: c.FormValue("key"),
	}
	for name, to := range map[string]*int{"per-minute": &one.PerMinute, "tokens-per-minute": &one.TokensPerMinute} {
		n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(c.FormValue(name)), "0"))
		if err != nil {
			return nil, errRate
		}
		*to = n
	}
	all := []connections.Connection{one}
	if embed := strings.TrimSpace(c.FormValue("embed")); embed != "" && one.Role == connections.Answer {
		one.Role, one.Model = connections.Embed, embed
		all = append(all, one)
	}
	return all, nil
}

// Connect saves the model of a form, which is used from then on.
func (h *Handler) Connect(c echo.Context) error {
	all, err := filled(c)
	if err == nil {
		err = h.Overview.Connections.Save(c.Request().Context(), all...)
	}
	if domain.KindOf(err) == domain.Invalid {
		p, failed := h.props(c)
		if failed != nil {
			return failed
		}
		p.Form.Problem, p.Form.ProblemAt = domain.InWords(err), connections.FieldOf(err)
		if errors.Is(err, errRate) {
			p.Form.ProblemAt = "rate"
		}
		return respond.HTML(c, http.StatusUnprocessableEntity, page.SettingsPage(p))
	}
	return respond.After(c, err, link.With(link.Settings, "done", "model")+"#"+rowID(settings.RowAnswer))
}

// Try tests the model of a form, and saves nothing.
func (h *Handler) Try(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	var checks []llm.Check
	all, err := filled(c)
	if err == nil {
		checks, err = h.Overview.Connections.Test(c.Request().Context(), all...)
	}
	if err != nil {
		checks = []llm.Check{{Sentence: llm.InWords(err)}}
	}
	p.Tried = lines(checks)
	return respond.Page(c, page.SettingsPage(p), partial.Checks("tried", p.Tried))
}

// Offered lists the models of the server of a form.
func (h *Handler) Offered(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	var all []llm.Listed
	wanted, err := filled(c)
	if err == nil {
		all, err = h.Overview.Connections.Models(c.Request().Context(), wanted[0])
	}
	switch {
	case err != nil:
		p.Form.Said = llm.InWords(err)
	case len(all) == 0:
		p.Form.Said = lang.T(c.Request().Context(), "The server lists no models. Type the name.")
	default:
		p.Form.Said = lang.F(c.Request().Context(), "%s on the server.", lang.Count(c.Request().Context(), len(all), "model", "models"))
	}
	for _, l := range all {
		p.Form.Offered = append(p.Form.Offered, l.Name)
	}
	return respond.Page(c, page.SettingsPage(p), page.OfferedModels(p.Form))
}

// Forget forgets the model that was connected for a role.
func (h *Handler) Forget(c echo.Context) error {
	err := h.Overview.Connections.Forget(c.Request().Context(), connections.Role(c.FormValue("role")))
	return respond.After(c, err, link.With(link.Settings, "done", "forgotten"))
}

func lines(checks []llm.Check) []partial.CheckLine {
	all := make([]partial.CheckLine, len(checks))
	for i, c := range checks {
		all[i] = partial.CheckLine{Works: c.OK, None: c.None, Text: c.Sentence}
	}
	return all
}

// model fills in the form that connects a model, in the row of search by meaning or of answers.
func model(c echo.Context, p *page.SettingsProps, standings []connections.Standing) {
	if c.FormValue("role") == "" && c.Request().Method == http.MethodGet {
		return
	}
	role := connections.Role(cmp.Or(c.FormValue("role"), string(connections.Answer)))
	at := max(0, slices.IndexFunc(standings, func(s connections.Standing) bool { return s.Role == role }))
	p.Form = form(c, standings[at])
	opened := settings.RowAnswer
	if standings[at].Role == connections.Embed {
		opened = settings.RowEmbed
	} else if standings[0].From != connections.FromNowhere {
		for _, s := range standings {
			if s.Role != connections.Embed {
				p.Form.Others = append(p.Form.Others, page.ServerChoice{Name: string(s.Role), Title: s.Role.Title(), Chosen: s.Role == standings[at].Role})
			}
		}
	}
	row := rowIn(p, opened)
	row.Open = true
	if standings[at].Kept != nil {
		row.Forget = string(standings[at].Role)
	}
}

// number writes a number for a field, which is empty for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// form returns the form for a role, with the submitted values, or else with the stored ones except the key.
func form(c echo.Context, s connections.Standing) page.ModelForm {
	f := page.ModelForm{
		Role: string(s.Role), Title: s.Role.Title(), Server: c.FormValue("server"), Address: c.FormValue("address"), Model: c.FormValue("model"), Embed: c.FormValue("embed"),
		PerMinute: c.FormValue("per-minute"), TokensPerMinute: c.FormValue("tokens-per-minute"), WithEmbed: s.Role == connections.Answer,
	}
	if k := s.Kept; k != nil && cmp.Or(f.Server, k.Server) == k.Server {
		f.Server, f.Address, f.Model = k.Server, cmp.Or(f.Address, k.Address), cmp.Or(f.Model, k.Model)
		f.PerMinute, f.TokensPerMinute = cmp.Or(f.PerMinute, number(k.PerMinute)), cmp.Or(f.TokensPerMinute, number(k.TokensPerMinute))
		f.KeyKept = s.HasKey
	}
	if s.Role != connections.Answer && s.Role != connections.Embed {
		f.Servers = append(f.Servers, page.ServerChoice{Name: connections.Same, Title: lang.T(c.Request().Context(), "The same server"), Chosen: f.Server == connections.Same})
	}
	for _, of := range connections.Servers() {
		if !of.Serves(s.Role) {
			continue
		}
		f.Servers = append(f.Servers, page.ServerChoice{Name: of.Name, Title: of.Title, Chosen: f.Server == of.Name})
		if of.Name != f.Server {
			continue
		}
		f.Only = of.Only != ""
		f.Address = cmp.Or(f.Address, of.Address)
		f.Hint, f.Example, f.EmbedExample = of.Hint, of.Example, of.Embeds
		f.TakesKey, f.KeyRequired = of.Key != connections.KeyNone, of.Key == connections.KeyRequired
		f.WithEmbed = f.WithEmbed && of.Embeds != ""
		if s.Role == connections.Embed {
			f.Example = of.Embeds
		}
	}
	f.Same = f.Server == connections.Same
	return f
}
