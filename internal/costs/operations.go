package costs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

type usageWanted struct {
	By   string `json:"by" default:"day" doc:"day, model, role, document or person"`
	From string `json:"from" doc:"the first day (default the first of this month)"`
	To   string `json:"to" doc:"the last day (default today)"`
	CSV  bool   `json:"csv" doc:"print comma-separated values"`
}

// Used is the usage of models, in lines.
type Used struct {
	by     Grouping
	names  map[string]string // of documents
	csv    bool
	report Report
}

// UsedLine is a line of it.
type UsedLine struct {
	Key      string   `json:"key"`
	Name     string   `json:"name,omitempty"` // of a document
	Calls    int      `json:"calls"`
	Input    int      `json:"input"`
	Cached   int      `json:"cached"`
	Output   int      `json:"output"`
	Embedded int      `json:"embedded"`
	Cost     Money    `json:"cost"` // of calls with a price
	Currency string   `json:"currency"`
	Unknown  []string `json:"unknown,omitempty"` // models without a price
}

// Array returns the lines.
func (u Used) Array() any {
	list := []UsedLine{}
	for _, l := range u.report.Lines[u.by] {
		list = append(list, UsedLine{
			l.Key, u.names[l.Key], l.Spent.Calls, l.Usage.Input, l.Usage.Cached, l.Usage.Output, l.Usage.Embedded, l.Spent.Money, u.report.Currency, l.Spent.Unknown,
		})
	}
	return list
}

// ShownCap is a cap and how much of it is spent.
type ShownCap struct {
	Scope   string `json:"scope"`
	Cap     string `json:"cap"` // "" if there is none
	Spent   Money  `json:"spent"`
	Tokens  int    `json:"tokens"`
	Reached bool   `json:"reached"`

	shown string // the amount spent, as printed
}

type monthWanted struct {
	Month string `json:"month" doc:"the month, such as 2026-11 (default this one)"`
}

type capping struct {
	Scope string `json:"scope" arg:"[SCOPE" trail:"" doc:"document, question, day, month or workspace (default none: the caps are shown)"`
	Cap   string `json:"cap" arg:"CAP]" trail:"how" doc:"an amount of money such as 5.00, tokens such as 500000 tokens, or none"`
}

type pricesWanted struct {
	Model string `json:"model" arg:"[MODEL]" doc:"name of a model (default all models)"`
}

// Listed are prices of models.
type Listed struct {
	Currency string  `json:"currency"`
	Prices   []Price `json:"prices"`
}

type pricing struct {
	Model     string `json:"model" arg:"MODEL" trail:"" doc:"name of the model; an asterisk at the end stands for any ending"`
	Input     string `json:"input" trail:"" doc:"price of a million input tokens"`
	Cached    string `json:"cached" trail:"" doc:"price of a million input tokens read from the provider's cache; defaults to --input"`
	Output    string `json:"output" trail:"" doc:"price of a million output tokens"`
	Embedding string `json:"embedding" trail:"" doc:"price of a million embedded tokens"`
	From      string `json:"from" trail:"" doc:"first day of the price, in UTC, such as 2026-12-01; today if not given"`
}

// Operations returns the operations on what models use.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, usageWanted, Used]{
			Name: "usage", Short: "Show what models used and what it cost", Scope: operation.Admin, Routes: []string{"GET /usage"},
			Long: `Show what models used in a month, or between two days (UTC), and what it cost.
A cost that is not known, because a model has no price, is shown as unknown.`,
			Example: `  clew usage
  clew usage --by document --csv > november.csv
  clew usage --by model --from 2026-11-01 --to 2026-11-15 --json
  clew usage caps day 5.00`,
			Do: (*Service).used, Text: printUsed,
		},
		operation.Op[*Service, monthWanted, []WorkspaceUsed]{
			Name: "usage workspaces", Short: "Show what each workspace used in a month, and what is in it", Scope: operation.Install, Routes: []string{"GET /usage/workspaces"},
			Long: `Show what models used in a month (UTC) in each workspace and what it cost, how many
runs were begun, what is in the workspace, and its caps as they stand today.`,
			Example: `  clew usage workspaces
  clew usage workspaces --month 2026-11 --json`,
			Do: func(s *Service, ctx context.Context, in monthWanted) ([]WorkspaceUsed, error) {
				month, err := time.Parse("2006-01", cmp.Or(in.Month, s.Now().UTC().Format("2006-01")))
				if err != nil {
					return nil, domain.Errorf(domain.Invalid, "The month is %q, but should be like 2026-11.", in.Month)
				}
				return s.Workspaces(ctx, month)
			},
			Text: operation.Table("WORKSPACE\tCALLS\tTOKENS\tCOST\tRUNS\tDOCUMENTS\tSTORED\tCAPS\tSTATE", "There are no workspaces.", func(w WorkspaceUsed) []any {
				return []any{w.Name, w.Calls, w.Tokens, w.CostText(), w.Runs, w.Documents, format.Bytes(w.Bytes), cmp.Or(w.CapsText(), "none"), w.State()}
			}),
		},
		operation.Op[*Service, capping, []ShownCap]{
			Name: "usage caps", Short: "Show the spending caps, or set one", Scope: operation.Admin, Routes: []string{"GET /usage/caps", "PUT /usage/caps"}, Trail: operation.Trail{Named: true},
			Long: `Show the caps on what models may cost, or set one. SCOPE is document,
question, day, month or workspace; CAP an amount of money such as 5.00, tokens such
as "500000 tokens", or none. What waits for the cap goes on at once.`,
			Example: `  clew usage caps
  clew usage caps day 5.00
  clew usage caps document "500000 tokens"
  clew usage caps month none`,
			Do:   (*Service).caps,
			Text: operation.Table("SCOPE\tCAP\tSPENT", "", func(c ShownCap) []any { return []any{c.Scope, cmp.Or(c.Cap, "none"), c.shown} }),
		},
	}
}

// PriceOperations are what can be done with prices. They need the ledger alone.
func PriceOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, pricesWanted, Listed]{
			Name: "prices", Short: "Show and set what models cost", Scope: operation.Admin, Routes: []string{"GET /prices"},
			Long: `List the prices for a million tokens, or with MODEL the one in force today. Prices
that you set take precedence over those of the file that the setting PRICES names, and
these over those that ship with Clew. All processes on the same stores use them.`,
			Example: `  clew prices
  clew prices gpt-4o-mini
  clew prices set gpt-4o-mini --input 0.15 --cached 0.075 --output 0.60 --from 2026-12-01
  clew prices set "qwen*" --input 0 --output 0`,
			Do: (*Service).listed, Text: printPrices,
		},
		operation.Op[*Service, pricing, Price]{
			Name: "prices set", Short: "Set the price of a model from a given day on", Scope: operation.Install, Routes: []string{"PUT /prices/{model}"}, Example: "  clew prices set gpt-4o-mini --input 0.15 --cached 0.075 --output 0.60 --from 2026-12-01",
			Long: `Set the price of a model, or of all that match a pattern with *. Calls before the
day keep their price. A later setting for the same model and day replaces it.`,
			Do: func(s *Service, ctx context.Context, in pricing) (Price, error) {
				p, err := Written(in.Model, cmp.Or(in.From, DayOf(s.Now())), in.Input, in.Cached, in.Output, in.Embedding)
				if err == nil {
					err = s.SetPrice(ctx, p)
				}
				if err != nil {
					return Price{}, err
				}
				return p, nil
			},
			Text: operation.Line(func(p Price) string { return "The price is set. It holds from " + p.From + " on." }),
		},
	}
}

func (s *Service) used(ctx context.Context, in usageWanted) (u Used, err error) {
	now := s.Now().UTC()
	u.by, u.csv = Grouping(in.By), in.CSV
	if !slices.Contains(Groupings(), u.by) {
		return u, domain.Errorf(domain.Invalid, "--by is %q, but should be day, model, role, document or person.", in.By)
	}
	from, to := cmp.Or(in.From, now.Format("2006-01")+"-01"), cmp.Or(in.To, DayOf(now))
	for _, day := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return u, domain.Errorf(domain.Invalid, "The day is %q, but should be like 2026-11-23.", day)
		}
	}
	if from > to {
		return u, domain.Errorf(domain.Invalid, "The first day is %s and the last %s, but the first should not be later.", from, to)
	}
	if u.report, err = s.Report(ctx, domain.WorkspaceOf(ctx), from, to); err != nil || u.by != ByDocument {
		return u, err
	}
	ids := lists.Map(u.report.Lines[u.by], func(l Line) domain.DocumentID { return domain.DocumentID(l.Key) })
	found, err := s.Ledger.DocumentsByID(ctx, domain.WorkspaceOf(ctx), ids)
	u.names = lists.Pairs(found, func(d domain.Document) (string, string) { return string(d.ID), d.Name })
	return u, err
}

func printUsed(w io.Writer, u Used) error {
	report := u.report
	if u.csv {
		head, rows := report.Sheet(u.by, u.names)
		content, err := format.Sheet(head, rows)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	err := operation.Columns(w, strings.ToUpper(string(u.by))+"\tCALLS\tIN\tCACHED\tOUT\tEMBEDDED\tCOST", func(line func(...any)) {
		for _, l := range append(report.Lines[u.by], report.Total) {
			name := cmp.Or(u.names[l.Key], l.Key)
			if l.Key == report.Total.Key && l.Spent.Calls == report.Total.Spent.Calls {
				name = "in all"
			}
			line(name, l.Spent.Calls, l.Usage.Input, l.Usage.Cached, l.Usage.Output, l.Usage.Embedded, l.Spent.Short())
		}
	})
	if err == nil && !report.Total.Spent.Known() {
		_, err = fmt.Fprintf(w, "No price is known for %s: clew prices set gives one.\n", strings.Join(report.Total.Spent.Unknown, ", "))
	}
	return err
}

func (s *Service) caps(ctx context.Context, in capping) ([]ShownCap, error) {
	if (in.Scope == "") != (in.Cap == "") {
		return nil, domain.Errorf(domain.Invalid, "Give a scope and a cap, or nothing to see all.")
	}
	if scope := Scope(in.Scope); scope != "" {
		if !slices.Contains(Scopes(), scope) {
			return nil, domain.Errorf(domain.Invalid, "There is no cap on %q. Caps are on document, question, day, month or workspace.", scope)
		}
		text := in.Cap
		if text == "none" {
			text = ""
		}
		limit, err := ParseCap(text)
		if err != nil {
			return nil, err
		}
		if err := s.SetCaps(ctx, domain.WorkspaceOf(ctx), Caps{scope: limit}); err != nil {
			return nil, err
		}
	}
	standings, err := s.Standings(ctx, domain.WorkspaceOf(ctx))
	return lists.Map(standings, shownCap), err
}

func shownCap(st Standing) ShownCap {
	c := ShownCap{Scope: string(st.Scope), Cap: st.Cap.Text(), Spent: st.Spent.Money, Tokens: st.Spent.Tokens, Reached: st.Reached}
	if !st.Scope.OfEach() {
		c.shown = st.Spent.Short()
	}
	return c
}

func (s *Service) listed(ctx context.Context, in pricesWanted) (Listed, error) {
	all, err := s.Prices.Table(ctx)
	if err != nil || in.Model == "" {
		return Listed{all.Currency, all.Prices}, err
	}
	p, ok := all.Of(in.Model, DayOf(s.Now()))
	if !ok {
		return Listed{}, domain.Errorf(domain.NotFound, "%s has no price today, so its cost is unknown. Set one with clew prices set %s --input … --output …, or 0 for a model that costs nothing.", in.Model, in.Model)
	}
	return Listed{all.Currency, []Price{p}}, nil
}

func printPrices(w io.Writer, l Listed) error {
	price := func(m *Money) string {
		if m == nil {
			return "-"
		}
		return m.In(l.Currency)
	}
	return operation.Table("MODEL\tFROM\tINPUT\tCACHED\tOUTPUT\tEMBEDDING\tWHERE", "", func(p Price) []any {
		where := p.Provider
		if p.Own {
			where = "your own"
		}
		return []any{strings.Join(p.Models, " "), p.From, price(p.Input), price(p.Cached), price(p.Output), price(p.Embedding), where}
	})(w, l.Prices)
}
