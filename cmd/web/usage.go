package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/views/table"
)

// usageFlags choose what clew usage prints.
type usageFlags struct {
	by, from, to  string
	asJSON, asCSV bool
}

func usageCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show what models used and what it cost",
		Long: `Shows what models used in a month, or between two days (UTC), and what it cost.
A cost that is not known, because a model has no price, is told as unknown.`,
		Example: `  clew usage
  clew usage --by document --csv > november.csv
  clew usage --by model --from 2026-11-01 --to 2026-11-15 --json
  clew usage caps day 5.00`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error { return a.usage(cmd.Context(), f) })
		},
	}
	now := s.now().UTC()
	flags := cmd.Flags()
	flags.StringVar(&f.by, "by", "day", "day, model, role, document or person")
	flags.StringVar(&f.from, "from", now.Format("2006-01")+"-01", "the first day")
	flags.StringVar(&f.to, "to", costs.DayOf(now), "the last day")
	flags.BoolVar(&f.asCSV, "csv", false, "print comma-separated values")
	jsonFlag(cmd, &f.asJSON, jsonArray)
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	cmd.AddCommand(capsCommand(s, load))
	return cmd
}

// usedLine is a line of clew usage --json.
type usedLine struct {
	Key      string      `json:"key"`
	Name     string      `json:"name,omitempty"` // of a document
	Calls    int         `json:"calls"`
	Input    int         `json:"input"`
	Cached   int         `json:"cached"`
	Output   int         `json:"output"`
	Embedded int         `json:"embedded"`
	Cost     costs.Money `json:"cost"` // of what has a price
	Currency string      `json:"currency"`
	Unknown  []string    `json:"unknown,omitempty"` // models without a price
}

func (a *app) usage(ctx context.Context, f usageFlags) error {
	by := costs.Grouping(f.by)
	if !slices.Contains(costs.Groupings(), by) {
		return domain.Errorf(domain.Invalid, "--by is %q, but should be day, model, role, document or person.", f.by)
	}
	for _, day := range []string{f.from, f.to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return domain.Errorf(domain.Invalid, "The day %q should be like 2026-11-23.", day)
		}
	}
	report, err := a.costs.Report(ctx, domain.DefaultWorkspace, f.from, f.to)
	if err != nil {
		return err
	}
	names := map[string]string{}
	if by == costs.ByDocument {
		var ids []string
		for _, l := range report.Lines[by] {
			ids = append(ids, l.Key)
		}
		found, err := a.ledger.DocumentsByID(ctx, domain.DefaultWorkspace, run.IDs[domain.DocumentID](ids))
		if err != nil {
			return err
		}
		for _, d := range found {
			names[string(d.ID)] = d.Name
		}
	}
	switch {
	case f.asJSON:
		list := []usedLine{}
		for _, l := range report.Lines[by] {
			list = append(list, usedLine{
				l.Key, names[l.Key], l.Spent.Calls, l.Usage.Input, l.Usage.Cached, l.Usage.Output, l.Usage.Embedded, l.Spent.Money, report.Currency, l.Spent.Unknown,
			})
		}
		return printJSON(a.env.stdout, list)
	case f.asCSV:
		head, rows := report.Sheet(by, names)
		content, err := table.Sheet(head, rows)
		if err == nil {
			_, err = a.env.stdout.Write(content)
		}
		return err
	}
	out := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\tCALLS\tIN\tCACHED\tOUT\tEMBEDDED\tCOST\n", strings.ToUpper(f.by))
	for _, l := range append(report.Lines[by], report.Total) {
		name := l.Key
		if names[name] != "" {
			name = names[name]
		}
		if l.Key == report.Total.Key && l.Spent.Calls == report.Total.Spent.Calls {
			name = "in all"
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", name, l.Spent.Calls, l.Usage.Input, l.Usage.Cached, l.Usage.Output, l.Usage.Embedded, l.Spent.Short())
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if !report.Total.Spent.Known() {
		fmt.Fprintf(a.env.stdout, "No price is known for %s: clew prices set gives one.\n", strings.Join(report.Total.Spent.Unknown, ", "))
	}
	return nil
}

// shownCap is a cap in clew usage caps --json.
type shownCap struct {
	Scope   string      `json:"scope"`
	Cap     string      `json:"cap"` // "" for none
	Spent   costs.Money `json:"spent"`
	Tokens  int         `json:"tokens"`
	Reached bool        `json:"reached"`
}

func capsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "caps [SCOPE CAP]",
		Short: "Show the caps, or set one and go on",
		Long: `Shows the caps on what models may cost, or sets one. SCOPE is document,
question, day, month or workspace; CAP an amount of money such as 5.00, tokens such
as "500000 tokens", or none. What waits for the cap goes on at once.`,
		Example: `  clew usage caps
  clew usage caps day 5.00
  clew usage caps document "500000 tokens"
  clew usage caps month none`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return domain.Errorf(domain.Invalid, "Give a scope and a cap, or nothing to see all.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				if len(args) == 2 {
					if err := a.setCap(cmd.Context(), costs.Scope(args[0]), args[1]); err != nil {
						return err
					}
				}
				return a.printCaps(cmd.Context(), asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func (a *app) setCap(ctx context.Context, scope costs.Scope, text string) error {
	if !slices.Contains(costs.Scopes(), scope) {
		return domain.Errorf(domain.Invalid, "There is no cap on %q: it is document, question, day, month or workspace.", scope)
	}
	if text == "none" {
		text = ""
	}
	limit, err := costs.ParseCap(text)
	if err != nil {
		return err
	}
	return a.costs.SetCaps(ctx, domain.DefaultWorkspace, costs.Caps{scope: limit})
}

func (a *app) printCaps(ctx context.Context, asJSON bool) error {
	standings, err := a.costs.Standings(ctx, domain.DefaultWorkspace)
	if err != nil {
		return err
	}
	if asJSON {
		list := []shownCap{}
		for _, s := range standings {
			list = append(list, shownCap{string(s.Scope), s.Cap.Text(), s.Spent.Money, s.Spent.Tokens, s.Reached})
		}
		return printJSON(a.env.stdout, list)
	}
	out := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "SCOPE\tCAP\tSPENT")
	for _, s := range standings {
		limit, spent := "none", ""
		if s.Cap.Set {
			limit = s.Cap.Text()
		}
		if !s.Scope.OfEach() {
			spent = s.Spent.Short()
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", s.Scope, limit, spent)
	}
	return out.Flush()
}
