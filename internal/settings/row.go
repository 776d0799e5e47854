package settings

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/prompts"
)

// Overview describes how the program is set. All fields are required but Models and Embedded.
type Overview struct {
	Book        *Book
	Used        config.Config // including connected models
	Connections *connections.Service
	Costs       *costs.Service
	Prompts     *prompts.Book
	Schemas     *schemas.Service
	Auth        *auth.Auth
	SignOn      *signon.Service
	Ledger      *ledger.Ledger
	Models      []string                         // current ones that may cost something
	Embedded    func(ctx context.Context) string // how many sentences have vectors; "" once all have; nil without an embedding model
	Scanner     bool                             // a program that reads scans is installed
	Draws       bool                             // a program that draws parts of pages is installed
	Converts    bool                             // a program that converts photos is installed
	Unconfined  bool                             // this system can confine neither, so they are not started
}

// A Part is a part of the page.
type Part struct {
	Title string `json:"part"`
	About string `json:"about"`
	Rows  []Row  `json:"rows"`
}

// A Row says how one thing is set.
type Row struct {
	ID      string   `json:"row"`
	Title   string   `json:"title"`
	Value   string   `json:"value"`
	Note    string   `json:"note,omitempty"`    // since when, or its consequences
	Problem string   `json:"problem,omitempty"` // why something does not work, and what to do about it
	Keys    []string `json:"settings,omitempty"`
	None    bool     `json:"none,omitempty"` // there is no model
}

// The rows.
const (
	RowAnswer   = "answer"
	RowEmbed    = "embed"
	RowPrompts  = "prompts"
	RowSpending = "spending"
	RowSources  = "sources"
	RowSchema   = "schema"
	RowScans    = "scans"
	RowDrawn    = "drawn"
	RowMembers  = "members"
	RowSignIn   = "sign-in"
	RowSignOn   = "sign-on"
	RowAddress  = "address"
)

// State is how the program is set at a moment.
type State struct {
	Parts     []Part
	List      []Setting // all settings by group
	Values    Values    // of the page
	Standings []connections.Standing
}

// Look returns how the program is set.
func (o *Overview) Look(ctx context.Context) (st State, err error) {
	if st.Values, err = o.Book.Values(ctx); err != nil {
		return st, err
	}
	if st.Standings, err = o.Connections.Standings(ctx); err != nil {
		return st, err
	}
	caps, err := o.Costs.Caps(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return st, err
	}
	st.List = o.list(st, caps)
	accounts, err := o.Auth.Accounts(ctx)
	if err != nil {
		return st, err
	}
	embed, err := o.embed(ctx, st.Standings)
	if err != nil {
		return st, err
	}
	edited, err := o.prompts(ctx)
	if err != nil {
		return st, err
	}
	model := Part{Title: "Model", About: "Who writes, who searches by meaning, what they are told", Rows: []Row{o.answer(st.Standings), embed, edited}}
	spent, ok, err := o.spending(ctx, caps)
	if err != nil {
		return st, err
	}
	if ok {
		model.Rows = append(model.Rows, spent)
	}
	sources, err := o.sources(ctx)
	if err != nil {
		return st, err
	}
	looked, err := o.schema(ctx)
	st.Parts = []Part{
		model,
		{Title: "Reading", About: "Where documents come from, what is looked for", Rows: []Row{sources, looked, o.scans(), o.drawn()}},
		{Title: "People and access", About: "Who gets in, and from where", Rows: []Row{members(accounts), o.signIn(accounts), o.signedOn(ctx), o.address()}},
	}
	return st, err
}

// roleRow fills the row of a role with the model that fills it.
func roleRow(row Row, s connections.Standing) Row {
	row.Problem = s.Problem()
	switch s.From {
	case connections.FromNowhere:
		row.None = true
		if s.Missing != "" {
			row.Note = s.Missing
		}
		return row
	case connections.FromEnvironment:
		row.Note = "set in the environment"
	case connections.FromDefault:
		row.Note = "the default: nothing else was chosen"
	default:
		row.Note = fmt.Sprintf("connected %s", since(s.Kept.Who, s.Kept.At))
	}
	if s.Model == "" { // the environment turns it off
		row.None = true
		return row
	}
	row.Value = s.Model
	if s.Address != "" {
		row.Value += " at " + hostOf(s.Address)
	}
	return row
}

// since says when something was set, and by whom.
func since(who string, at time.Time) string {
	said := at.UTC().Format("2 January 2006")
	if who != "" {
		said += " by " + who
	}
	return said
}

// hostOf returns the host of an address, without the parts that a row has no room for.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func (o *Overview) answer(standings []connections.Standing) Row {
	row := Row{ID: RowAnswer, Title: "Answers and reading", Value: "No model is configured.", Note: "Sentences of your documents are found and quoted, on this machine only."}
	for _, s := range standings {
		switch {
		case s.Role == connections.Answer:
			row = roleRow(row, s)
		case s.Role != connections.Embed && (s.From == connections.FromEnvironment || s.From == connections.FromPage):
			row.Note += "; " + strings.ToLower(s.Role.Title()) + " by " + s.Model
		}
	}
	return row
}

func (o *Overview) embed(ctx context.Context, standings []connections.Standing) (Row, error) {
	row := Row{ID: RowEmbed, Title: "Search by meaning", Value: "None: documents are found by their words alone", Note: "A small model for it runs on this machine: 23 MB, no server needed."}
	for _, s := range standings {
		if s.Role == connections.Embed {
			row = roleRow(row, s)
		}
	}
	if o.Embedded == nil {
		return row, nil
	}
	if o.Used.Embed.Provider == config.Builtin {
		row.Value = "Built in: MiniLM, on this machine"
	}
	ctx, cancel := context.WithTimeout(ctx, embeddedTimeout)
	defer cancel()
	if left := o.Embedded(ctx); left != "" {
		row.Note = left + after(row.Note)
	}
	return row, nil
}

// embeddedTimeout limits how long a row waits for the search index.
const embeddedTimeout = 2 * time.Second

func after(note string) string {
	if note == "" {
		return ""
	}
	return "; " + note
}

func (o *Overview) prompts(ctx context.Context) (Row, error) {
	row := Row{ID: RowPrompts, Title: "Prompts"}
	now, err := o.Prompts.CurrentAll(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return row, err
	}
	edited := 0
	var last domain.PromptVersion
	for i, p := range o.Prompts.Prompts() {
		if p.Edited(now[i]) {
			edited++
			if now[i].At.After(last.At) {
				last = now[i]
			}
		}
	}
	row.Value, row.Note = "all "+domain.Thousands(len(now))+" as they came", "what the model is told at each step"
	if edited > 0 {
		row.Value, row.Note = domain.Thousands(edited)+" of "+domain.Thousands(len(now))+" changed", "the last one "+since(last.Who, last.At)
	}
	return row, nil
}

// Spends reports whether models may cost something, or have.
func (o *Overview) Spends(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	if len(o.Models) > 0 {
		return true, nil
	}
	return o.Ledger.AnyUsage(ctx, w)
}

// spending returns the row of what models may cost; false if they cost nothing.
func (o *Overview) spending(ctx context.Context, caps costs.Caps) (Row, bool, error) {
	row := Row{ID: RowSpending, Title: "Spending", Value: "no cap"}
	if spends, err := o.Spends(ctx, domain.WorkspaceOf(ctx)); err != nil || !spends {
		return row, false, err
	}
	spent, err := o.Costs.ThisMonth(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return row, false, err
	}
	var said []string
	for _, scope := range costs.Scopes() {
		if limit := caps[scope]; limit.Set {
			said = append(said, limit.In(spent.Currency)+" for "+scope.Title())
		}
	}
	if len(said) > 0 {
		row.Value = "at most " + strings.Join(said, ", ")
	}
	row.Note = fmt.Sprintf("%s so far this month", spent.Money.In(spent.Currency))
	return row, true, nil
}

func (o *Overview) sources(ctx context.Context) (Row, error) {
	row := Row{ID: RowSources, Title: "Sources", Value: "no document yet", Note: "uploaded, pasted, fetched from the web, or from folders that clew watch follows"}
	by, err := o.Ledger.CountSources(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return row, err
	}
	var said []string
	for _, s := range []struct {
		of   []domain.Source
		from string
	}{
		{[]domain.Source{domain.SourceUpload, ""}, "uploaded"}, {[]domain.Source{domain.SourceWeb}, "from the web"}, {[]domain.Source{domain.SourceFolder}, "from folders"},
		{[]domain.Source{domain.SourceStorage}, "from S3"}, {[]domain.Source{domain.SourceArchive}, "from archives"}, {[]domain.Source{domain.SourceMail}, "attached to mails"},
		{[]domain.Source{domain.SourceGit}, "from Git repositories"},
	} {
		n := lists.Sum(s.of, func(source domain.Source) int { return by[source] })
		if n > 0 {
			said = append(said, domain.Thousands(n)+" "+s.from)
		}
	}
	if len(said) > 0 {
		row.Value = strings.Join(said, ", ")
	}
	return row, nil
}

func (o *Overview) schema(ctx context.Context) (Row, error) {
	row := Row{ID: RowSchema, Title: "What is looked for", Value: "people, places, works and whatever else has a name"}
	v, err := o.Schemas.Latest(ctx, domain.WorkspaceOf(ctx), schemas.Scope{})
	if err != nil {
		return row, err
	}
	row.Note = "in passages of up to " + count(o.Used.ChunkTokens, "token", "tokens")
	if v.Number > 0 && !v.Cleared {
		row.Value = "schema " + domain.Thousands(int(v.Number)) + ": " + count(len(v.Guide.Schema.Labels), "label", "labels") + ", " + count(len(v.Guide.Schema.Types), "relation", "relations")
		row.Note = "saved " + since(v.Who, v.At) + "; " + row.Note
	}
	return row, nil
}

// languages names the languages that tesseract is often set to.
var languages = map[string]string{"eng": "English", "deu": "German", "fra": "French", "spa": "Spanish", "ita": "Italian", "por": "Portuguese", "nld": "Dutch"}

func (o *Overview) scans() Row {
	row := Row{ID: RowScans, Title: "Scans", Note: "pages that are pictures are read on this machine", Keys: []string{"OCR", "OCR_LANGUAGES", "OCR_PAGES"}}
	var named []string
	for code := range strings.SplitSeq(o.Used.OCRLanguages, "+") {
		named = append(named, cmp.Or(languages[code], code))
	}
	row.Value = fmt.Sprintf("%s, up to %s", strings.Join(named, " and "), count(o.Used.OCRPages, "page", "pages"))
	switch {
	case o.Used.OCR == "off":
		row.Value, row.Note = "not read", "pages that are pictures are left out"
	case !o.Scanner:
		row.Value, row.Note = "not read: tesseract is not installed", "Install it, for example with apt install tesseract-ocr, and restart Clew."
	}
	return row
}

// drawn says which pictures are drawn by programs of the system.
func (o *Overview) drawn() Row {
	row := Row{ID: RowDrawn, Title: "Pictures", Note: "Install poppler-utils and libheif-examples for the others, and restart Clew.", Keys: []string{"DESCRIBE_PICTURES"}}
	if o.Unconfined {
		row.Note = "Clew starts the programs that do only where it can confine them: on Linux with Landlock."
	}
	switch {
	case o.Draws && o.Converts:
		row.Value, row.Note = "drawings by pdftoppm, HEIC and AVIF by heif-convert", "each program in a folder of its own, without the network"
	case o.Draws:
		row.Value = "drawings by pdftoppm; HEIC and AVIF are not read"
	case o.Converts:
		row.Value = "HEIC and AVIF by heif-convert; drawings of PDF files are left out"
	default:
		row.Value = "drawings of PDF files, HEIC and AVIF are not read"
	}
	return row
}

func members(all []ledger.Account) Row {
	row := Row{ID: RowMembers, Title: "Members", Value: "nobody signs in", Note: "everybody on this machine can do everything"}
	if len(all) == 0 {
		return row
	}
	owners := lists.CountFunc(all, func(a ledger.Account) bool { return a.Role == domain.Owner })
	row.Value = count(len(all), "account", "accounts")
	row.Note = fmt.Sprintf("%s may change these settings", count(owners, "owner", "owners"))
	return row
}

func (o *Overview) signIn(accounts []ledger.Account) Row {
	row := Row{ID: RowSignIn, Title: "Sign-in", Value: "by name and password", Note: fmt.Sprintf("a sign-in lasts %s", days(o.Used.SessionLifetime)), Keys: []string{"SESSION_LIFETIME", "CODES_REQUIRED"}}
	if o.Used.CodesRequired {
		row.Value = "by name, password and code"
	}
	if len(accounts) == 0 && !o.Used.SignOn.On() {
		row.Value = "none, until there is an account"
	}
	return row
}

func (o *Overview) signedOn(ctx context.Context) Row {
	row := Row{ID: RowSignOn, Title: "Sign-on", Value: "off", Note: "nobody else vouches for people"}
	by := []string{}
	if name := o.SignOn.Provider(); name != "" {
		by = append(by, "by "+name)
	}
	if o.Used.SignOn.ProxyUser != "" {
		by = append(by, "by a proxy")
	}
	if len(by) == 0 {
		return row
	}
	rules, _ := o.Used.SignOn.Rules() // checked with the settings
	row.Value, row.Note = strings.Join(by, " and "), count(len(rules), "rule says", "rules say")+" what groups may do"
	if problem := o.SignOn.Problem(ctx); problem != nil {
		row.Problem = domain.InWords(problem)
	}
	return row
}

// days writes a time in whole days where it can be.
func days(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return count(int(d/(24*time.Hour)), "day", "days")
	}
	return d.String()
}

func (o *Overview) address() Row {
	row := Row{ID: RowAddress, Title: "Address", Value: o.Used.Listen, Note: "only this machine can reach it", Keys: []string{"LISTEN", "PUBLIC_URL", "TRUSTED_PROXIES"}}
	if !o.Used.Loopback() {
		row.Note = "other machines can reach it"
		if host, _, err := net.SplitHostPort(o.Used.Listen); err == nil && host != "" && host != "0.0.0.0" && host != "::" {
			row.Note += " at this address"
		}
	}
	return row
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return domain.Thousands(n) + " " + many
}
