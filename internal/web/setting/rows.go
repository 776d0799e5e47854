package setting

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// buttons are the buttons of rows, with the pages that they lead to: "" is the row's own form.
var buttons = map[string]struct{ verb, url string }{
	settings.RowAnswer:   {"Change", ""},
	settings.RowEmbed:    {"Change", ""},
	settings.RowPrompts:  {"Open", link.Prompts},
	settings.RowSpending: {"Change", link.Usage},
	settings.RowSources:  {"Open", link.Documents},
	settings.RowSchema:   {"Open", link.Schema},
	settings.RowScans:    {"Change", ""},
	settings.RowDrawn:    {"Change", ""},
	settings.RowMembers:  {"Open", link.Accounts},
	settings.RowSignIn:   {"Change", ""},
	settings.RowSignOn:   {"Open", link.SignOnSettings},
	settings.RowAddress:  {"Show", ""},
}

// props returns the page, with the form that the address names.
func (h *Handler) props(c echo.Context) (page.SettingsProps, error) {
	ctx := c.Request().Context()
	app, err := h.Frame.App(c, layout.Settings, lang.T(ctx, "Settings"))
	if err != nil {
		return page.SettingsProps{}, err
	}
	p := page.SettingsProps{App: app, Unembedded: h.Unembedded(ctx)}
	state, err := h.Overview.Look(ctx)
	if err != nil {
		return p, err
	}
	list := state.List
	open, closed := c.FormValue("open"), c.FormValue("closed")
	for _, part := range state.Parts {
		shown := page.SettingPart{Title: lang.T(ctx, part.Title), About: lang.T(ctx, part.About)}
		shown.Rows = lists.Map(part.Rows, func(r settings.Row) page.SettingRow { return partRow(ctx, r, list, open, closed) })
		p.Parts = append(p.Parts, shown)
	}
	p.List = listed(ctx, list, page.SettingList{Words: c.QueryParam("q"), Only: c.QueryParam("only")}, open, closed)
	p.App.Toast = cmp.Or(toast(c, state), p.App.Toast)
	if p.App.Unread > 0 {
		bill, n, err := h.Library.BillAgain(ctx, request.Workspace(c))
		if err != nil {
			return p, err
		}
		p.Again = page.AgainProps{Documents: n, Bill: lang.Sentence(ctx, bill.String())}
	}
	model(c, &p, state.Standings)
	return p, nil
}

func partRow(ctx context.Context, r settings.Row, list []settings.Setting, open, closed string) page.SettingRow {
	b := buttons[r.ID]
	row := page.SettingRow{
		ID: rowID(r.ID), Title: lang.T(ctx, r.Title), Value: lang.Sentence(ctx, r.Value), Note: lang.Sentence(ctx, r.Note), Problem: r.Problem, Verb: lang.T(ctx, b.verb), URL: b.url, Open: open == r.ID, Focus: closed == r.ID,
		Model: r.ID == settings.RowAnswer || r.ID == settings.RowEmbed,
	}
	if r.None {
		row.Verb = lang.T(ctx, "Connect")
	}
	for _, key := range r.Keys {
		if i := slices.IndexFunc(list, func(s settings.Setting) bool { return s.Key == key }); i >= 0 {
			row.Fields = append(row.Fields, field(list[i]))
		}
	}
	return row
}

func field(s settings.Setting) page.SettingField {
	return page.SettingField{Key: s.Key, Help: s.Help, Value: s.Value, Kind: s.Kind, Default: s.Default, Fixed: s.Fixed}
}

// listed fills the list with the settings that are looked for. A group with one of them is open, of all settings the first.
func listed(ctx context.Context, list []settings.Setting, l page.SettingList, open, closed string) page.SettingList {
	for _, s := range list {
		l.Counts[0]++
		if s.Changed() {
			l.Counts[1]++
		}
		if s.OfEnvironment() {
			l.Counts[2]++
		}
		if !s.Says(l.Words) || l.Only == "changed" && !s.Changed() || l.Only == "environment" && !s.OfEnvironment() {
			continue
		}
		if n := len(l.Groups); n == 0 || l.Groups[n-1].Name != s.Group {
			l.Groups = append(l.Groups, page.SettingGroup{Name: s.Group, Open: l.Words != "" || l.Only != ""})
		}
		g := &l.Groups[len(l.Groups)-1]
		g.Rows = append(g.Rows, listRow(ctx, s, open, closed))
		g.Open = g.Open || s.Key == open || s.Key == closed
		if s.Changed() {
			g.Changed++
		}
	}
	return l
}

func listRow(ctx context.Context, s settings.Setting, open, closed string) page.SettingRow {
	row := page.SettingRow{
		ID: rowID(s.Key), Title: s.Key, Note: lang.T(ctx, s.Help), Value: cmp.Or(s.Value, lang.T(ctx, "none")), Default: cmp.Or(s.Default, lang.T(ctx, "none")), Set: lang.T(ctx, string(s.Place)), Problem: s.Problem,
		Open: open == s.Key, Focus: closed == s.Key, Fields: []page.SettingField{field(s)},
	}
	if s.Place == config.Page && s.Who != "" {
		row.Set += ", " + s.Who
	}
	switch {
	case s.OfEnvironment() && s.Row != settings.RowSpending: // for caps, the page overrides the environment
	case s.Row != "":
		row.Verb, row.URL = lang.T(ctx, "Change"), buttons[s.Row].url
		row.URL = cmp.Or(row.URL, link.With(link.Settings, "role", s.Row)+"#"+rowID(s.Row))
	case !s.Fixed:
		row.Verb = lang.T(ctx, "Change")
	}
	return row
}

// toast describes what was changed, with a button that puts it back.
func toast(c echo.Context, state settings.State) layout.Toast {
	var said, keys []string
	for _, s := range state.List {
		v, ok := state.Values[s.Key]
		if !ok || !slices.Contains(c.QueryParams()["changed"], s.Key) {
			continue
		}
		keys = append(keys, s.Key)
		said = append(said, lang.F(c.Request().Context(), "%s is now %s; it was %s.", s.Key, cmp.Or(s.Value, "empty"), cmp.Or(v.Former, s.Default, "empty")))
	}
	if len(keys) == 0 {
		return layout.Toast{}
	}
	undo := link.UndoSettings
	for _, key := range keys {
		undo = link.And(undo, "setting", key)
	}
	return layout.Toast{Text: strings.Join(said, " "), Action: lang.T(c.Request().Context(), "Undo"), URL: undo}
}

// rowIn returns the row of an id, in the parts or in the list.
func rowIn(p *page.SettingsProps, id string) *page.SettingRow {
	for i := range p.Parts {
		for j := range p.Parts[i].Rows {
			if p.Parts[i].Rows[j].ID == rowID(id) {
				return &p.Parts[i].Rows[j]
			}
		}
	}
	for i := range p.List.Groups {
		for j := range p.List.Groups[i].Rows {
			if p.List.Groups[i].Rows[j].ID == rowID(id) {
				return &p.List.Groups[i].Rows[j]
			}
		}
	}
	return nil
}
