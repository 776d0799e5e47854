// Package layout draws the frame of every page: head, header with navigation, notice line and the bar
// at the bottom.
package layout

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// A Section is an entry of the navigation.
type Section string

// The sections; the zero value highlights none.
const (
	Home       Section = "home"
	Ask        Section = "ask"
	Documents  Section = "documents"
	Graph      Section = "graph"
	Review     Section = "review"
	Summaries  Section = "summaries"
	Runs       Section = "runs"
	Settings   Section = "settings"
	Audit      Section = "audit"
	Health     Section = "health"
	Usage      Section = "usage"
	Schema     Section = "schema"
	Fields     Section = "fields"
	Sources    Section = "sources"
	Accounts   Section = "accounts"
	Account    Section = "account"
	Tokens     Section = "tokens"
	Workspaces Section = "workspaces"

	Evaluation Section = "evaluation"
)

// An entry is a link of the bar or of the menu at its right.
type entry struct {
	section   Section
	name, url string
	shown     bool   // to everybody who may go there
	class     string // of the count; "" if none is shown
	count     int
}

// sections returns the bar in its order, on a phone the first part of the menu: Ask,
// Documents, Graph, Review once there is a graph, Summaries, Runs.
func (p Props) sections(ctx context.Context) []entry {
	return visible([]entry{
		{Ask, lang.T(ctx, "Ask"), link.Ask, true, "", 0},
		{Documents, lang.T(ctx, "Documents"), link.Documents, true, "nav-documents", p.Documents},
		{Graph, lang.T(ctx, "Graph"), link.Graph, true, "", 0},
		{Review, lang.T(ctx, "Review"), link.Review, p.Review > 0 || p.Entities > 0 || p.Section == Review, "nav-review", p.Review},
		{Summaries, lang.T(ctx, "Summaries"), link.Summaries, true, "", 0},
		{Runs, lang.T(ctx, "Runs"), link.Runs, true, "", 0},
	})
}

// workspace returns the pages of the workspace, which are tabs too: Settings, Sources, Schema, Fields, Evaluation, Usage, People,
// Tokens, Audit, Health. A page joins it here with its route.
func (p Props) workspace(ctx context.Context) []entry {
	return visible([]entry{
		{Settings, lang.T(ctx, "Settings"), link.Settings, true, "", 0},
		{Sources, lang.T(ctx, "Sources"), link.Sources, true, "", 0},
		{Schema, lang.T(ctx, "Schema"), link.Schema, true, "", 0},
		{Fields, lang.T(ctx, "Fields"), link.Fields, true, "", 0},
		{Evaluation, lang.T(ctx, "Evaluation"), link.Evaluation, true, "", 0},
		{Usage, lang.T(ctx, "Usage"), link.Usage, p.Spends || p.Section == Usage, "", 0},
		{Accounts, lang.T(ctx, "People"), link.People, true, "", 0},
		{Tokens, lang.T(ctx, "Tokens"), link.Tokens, true, "", 0},
		{Audit, lang.T(ctx, "Audit"), link.Audit, true, "", 0},
		{Health, lang.T(ctx, "Health"), link.Health, true, "", 0},
	})
}

// names selects the names used for the steps of runs.
func (p Props) names() string {
	if p.Technical {
		return link.Technical
	}
	return link.Plain
}

// entries returns the menu in its order: the pages of the workspace, and the account of the person.
func (p Props) entries(ctx context.Context) []entry {
	return append(p.workspace(ctx), visible([]entry{{Account, lang.T(ctx, "Your account"), link.Account, p.User != "", "", 0}})...)
}

// A Tab is a link to a page of the workspace.
type Tab struct {
	Section   Section
	Name, URL string
}

// Tabs lists the pages of the workspace that whoever reads the page may see.
func (p Props) Tabs(ctx context.Context) (tabs []Tab) {
	return lists.Map(may(ctx, p.workspace(ctx)), func(e entry) Tab { return Tab{e.section, e.name, e.url} })
}

// may leaves out the pages at which whoever reads the page is refused.
func may(ctx context.Context, list []entry) []entry {
	return slices.DeleteFunc(list, func(e entry) bool { return !link.May(ctx, e.url) })
}

func visible(list []entry) []entry {
	return slices.DeleteFunc(list, func(e entry) bool { return !e.shown })
}

// Props holds the data for the frame of every page.
type Props struct {
	Title      string // of the page, without the product's name
	Section    Section
	Documents  int                // in the library; 0 shows no count
	Entities   int                // in the graph; 0 shows no count
	Review     int                // pairs waiting for a decision; 0 shows no count
	Model      string             // name of the model that answers; "" in the built-in mode
	Spends     bool               // a model that may cost something is in use, or was
	Unread     int                // documents read by another model or prompt than the current ones
	Away       string             // a sentence about an unreachable store; "" if all are reachable
	User       string             // account that is signed in; "" if there are no accounts
	Role       domain.Role        // of User
	Workspace  domain.Workspace   // that the page belongs to
	Workspaces []domain.Workspace // that User may open, by title
	Toast      Toast
	Technical  bool // the steps of runs are shown by the names in their graph
	Fills      bool // the page fills the window and scrolls inside
	Works      bool // load the style sheet of the workspace pages, regardless of the section
}

// works reports whether the page needs the styles of the workspace's pages and of Review.
func (p Props) works() bool {
	switch p.Section {
	case Review, Settings, Sources, Audit, Health, Usage, Schema, Fields, Accounts, Account, Tokens, Workspaces, Evaluation:
		return true
	case Home, Ask, Documents, Graph, Summaries, Runs:
	}
	return p.Works
}

// mostOffered is the maximum number of other workspaces in the menu.
const mostOffered = 8

// others returns the workspaces that the menu offers beside the one of the page.
func (p Props) others() []domain.Workspace {
	list := slices.DeleteFunc(slices.Clone(p.Workspaces), func(w domain.Workspace) bool { return w.ID == p.Workspace.ID || !w.ArchivedAt.IsZero() })
	return list[:min(len(list), mostOffered)]
}

// archived reports whether the page's workspace can only be read.
func (p Props) archived() bool { return !p.Workspace.ArchivedAt.IsZero() }

// library returns the name of the page's workspace as the menu shows it.
func (p Props) library(ctx context.Context) string {
	return cmp.Or(p.Workspace.Title, lang.T(ctx, "Library"))
}

// May reports whether whoever reads the page has a scope. What has an address of its own is asked for with [link.May].
func (p Props) May(s operation.Scope) bool { return s.Check(p.Role) == nil }

// BuiltIn reports whether no model is configured.
func (p Props) BuiltIn() bool { return p.Model == "" }

// Mode describes the model in use.
func (p Props) Mode(ctx context.Context) string {
	if p.BuiltIn() {
		return lang.T(ctx, "Built-in mode, no model")
	}
	return p.Model
}

// FullTitle returns the text of the title element.
func (p Props) FullTitle(ctx context.Context) string {
	if p.Title == "" {
		return "Clew"
	}
	return lang.F(ctx, "%s · Clew", p.Title)
}

// A Toast is the bar at the bottom after an action; the zero value shows none.
type Toast struct {
	Text   string
	Action string        // label of the button; "" for no button
	URL    string        // address that the button posts to
	Back   string        // page to return to; "" lets the handler decide
	Passes time.Duration // after which the bar disappears automatically; 0 leaves that to the page
}

// passes returns after how many milliseconds the bar goes.
func (t Toast) passes() string {
	if t.Passes <= 0 {
		return ""
	}
	return strconv.FormatInt(t.Passes.Milliseconds(), 10)
}

// current returns the value of aria-current for the link to a section.
func (p Props) current(s Section) string {
	if p.Section == s {
		return "page"
	}
	return "false"
}

func (p Props) unread(ctx context.Context) string {
	return lang.F(ctx, "%s read by another model or prompt than those in use.", lang.Count(ctx, p.Unread, "document was", "documents were"))
}

func (p Props) readAgain(ctx context.Context) string {
	if p.Unread == 1 {
		return lang.T(ctx, "Read it again")
	}
	return lang.T(ctx, "Read them again")
}
