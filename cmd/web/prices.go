package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
)

func pricesCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "prices [MODEL]",
		Short: "Show and set what models cost",
		Long: `Lists the prices for a million tokens, or with MODEL the one in force today.
Prices that you set go before those of the file that the setting PRICES names, and
these before those that ship with Clew. All processes on the same stores have them.`,
		Example: `  clew prices
  clew prices gpt-4o-mini
  clew prices set gpt-4o-mini --input 0.15 --cached 0.075 --output 0.60 --from 2026-12-01
  clew prices set "qwen*" --input 0 --output 0`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all costs.Table
			err := withPrices(cmd.Context(), s, load, func(books *costs.Service) (err error) {
				all, err = books.Prices.Table(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			listed := all.Prices
			if len(args) > 0 {
				p, ok := all.Of(args[0], costs.DayOf(s.now()))
				if !ok {
					return domain.Errorf(domain.NotFound, "%s has no price today: what it costs is unknown. Set one with clew prices set %s --input … --output …, or 0 for a model that costs nothing.", args[0], args[0])
				}
				listed = []costs.Price{p}
			}
			if asJSON {
				return printJSON(s.stdout, map[string]any{"currency": all.Currency, "prices": listed})
			}
			return printPrices(s, all.Currency, listed)
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	cmd.AddCommand(setPriceCommand(s, load))
	return cmd
}

// withPrices calls do with the prices of the ledger.
func withPrices(ctx context.Context, s env, load func() (config.Config, error), do func(*costs.Service) error) error {
	cfg, err := load()
	if err != nil {
		return err
	}
	a, err := assemble(ctx, cfg, s, (*app).openLedger, func(a *app, ctx context.Context) (err error) {
		a.costs, err = a.openCosts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(do(a.costs), a.Close())
}

func printPrices(s env, currency string, listed []costs.Price) error {
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tFROM\tINPUT\tCACHED\tOUTPUT\tEMBEDDING\tWHERE")
	for _, p := range listed {
		where := p.Provider
		if p.Own {
			where = "your own"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", strings.Join(p.Models, " "), p.From,
			price(p.Input, currency), price(p.Cached, currency), price(p.Output, currency), price(p.Embedding, currency), where)
	}
	return table.Flush()
}

func price(m *costs.Money, currency string) string {
	if m == nil {
		return "-"
	}
	return m.In(currency)
}

func setPriceCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var input, cached, output, embedding, from string
	cmd := &cobra.Command{
		Use:   "set MODEL",
		Short: "Set what a million tokens of a model cost from a day on",
		Long: `Sets the price of a model, or of all that fit a pattern with *. Calls before the
day keep their price. A later setting for the same model and day replaces it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := costs.Written(args[0], cmp.Or(from, costs.DayOf(s.now())), input, cached, output, embedding)
			if err != nil {
				return err
			}
			if err := withPrices(cmd.Context(), s, load, func(books *costs.Service) error { return books.SetPrice(cmd.Context(), p) }); err != nil {
				return err
			}
			fmt.Fprintf(s.stdout, "The price is set. It holds from %s on.\n", p.From)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&input, "input", "", "for a million tokens that the model is sent")
	f.StringVar(&cached, "cached", "", "for those of them that the provider had kept from an earlier call; as --input if not given")
	f.StringVar(&output, "output", "", "for a million tokens that the model writes")
	f.StringVar(&embedding, "embedding", "", "for a million tokens that are embedded")
	f.StringVar(&from, "from", "", "the first day, in UTC, such as 2026-12-01; today if not given")
	return cmd
}
