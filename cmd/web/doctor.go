package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
)

// doctorCommand reports in words what works.
func doctorCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say in words whether settings, stores, model and disk are in order",
		Long: `Say in words whether the settings make sense, the stores answer and are up to
date, the models do what they are needed for, and the disk has room. The test of
a model makes a few short calls. All workspaces are looked at, or the one that
--workspace names. The exit status is 1 when something is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			fmt.Fprintf(s.stdout, "Program: clew %s.\n", release())
			fmt.Fprintf(s.stdout, "Settings: in order; the stores are %s.\n", cfg.Stores())
			s.foreign = true // the report shows what is wrong with them
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				lookApart(cmd.Context(), cfg, s)
				return err
			}
			defer a.Close()
			return a.diagnose(cmd.Context(), named(cmd)...)
		},
	}
}

// lookApart describes the state of each server when one of them keeps the program closed.
func lookApart(ctx context.Context, cfg config.Config, s env) {
	if cfg.Stores() == config.Embedded {
		return
	}
	for _, store := range []struct {
		role string
		open func(*app, context.Context) error
		ask  func(*app) (int64, error)
	}{
		{"Ledger", (*app).openLedger, func(a *app) (int64, error) { return a.ledger.Head(ctx, domain.DefaultWorkspace) }},
		{"Graph", (*app).openGraphStore, func(a *app) (int64, error) { return a.whole.Cursor(ctx, domain.DefaultWorkspace) }},
		{"Search index", (*app).openVectors, func(a *app) (int64, error) { return a.vectors.Cursor(ctx, domain.DefaultWorkspace) }},
	} {
		a, err := assemble(ctx, cfg, s, store.open)
		if err == nil {
			_, err = store.ask(a)
			err = errors.Join(err, a.Close())
		}
		says := "answers."
		if err != nil {
			says = "can't be read: " + domain.InWords(err)
		}
		fmt.Fprintf(s.stdout, "Stores: %s %s\n", store.role, says)
	}
}

// diagnose reports on everything, and fails if something is wrong.
func (a *app) diagnose(ctx context.Context, only ...string) error {
	wrong := 0
	look := a.monitor()
	outgrown, outgrownErr := a.maintenance.Outgrown(ctx)
	err := a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error {
		wrong += a.reportStores(w.Name, look.Stores(ctx, w.ID))
		if left := a.leftToEmbed(ctx, w.ID); left != "" {
			fmt.Fprintf(a.env.stdout, "Search index: %s The server embeds the others in the background.\n", left)
		} else if a.models.Embeds() && outgrown == "" {
			fmt.Fprintf(a.env.stdout, "Search index: %s\n", a.waysOfSentences(ctx, w.ID))
		}
		return nil
	}, only...)
	if err != nil {
		return err
	}
	switch {
	case domain.KindOf(outgrownErr) == domain.Unavailable && wrong > 0: // reported above
	case outgrownErr != nil:
		wrong++
		fmt.Fprintf(a.env.stdout, "Search index: it can't be read: %s\n", domain.InWords(outgrownErr))
	case outgrown != "":
		wrong++
		fmt.Fprintf(a.env.stdout, "%s Until clew rebuild has run, questions are answered by words and by the graph.\n", outgrown)
	}
	if a.used.WordsAlone != nil {
		fmt.Fprintf(a.env.stdout, "Search: by words alone. %s\n", domain.InWords(a.used.WordsAlone))
	}
	for _, c := range a.used.Connected {
		if c.Problem != "" {
			wrong++
			fmt.Fprintf(a.env.stdout, "Model: %s is not used for %s. %s\n", c.Model, c.Role, c.Problem)
		}
	}
	for _, c := range a.models.Reach(ctx) {
		if !c.OK {
			wrong++
		}
		fmt.Fprintf(a.env.stdout, "Model: %s\n", c.Sentence)
	}
	said, lost := a.testMonitoring(ctx)
	wrong += lost
	for _, sentence := range said {
		fmt.Fprintln(a.env.stdout, "Monitoring: "+sentence)
	}
	if d := look.Disk(ctx); d.Known {
		fmt.Fprintf(a.env.stdout, "Disk: %s free for %s.\n", format.Bytes(d.Free), d.Folder)
		if d.Low() {
			wrong++
			fmt.Fprintln(a.env.stdout, "Disk: that is low. Free some space before uploads are refused.")
		}
	}
	if wrong > 0 {
		return domain.Errorf(domain.Unavailable, "%s wrong.", format.Count(wrong, "thing is", "things are"))
	}
	return nil
}

// reportStores reports on the stores of a workspace and counts those that do not answer.
func (a *app) reportStores(w string, stores []maintenance.StoreState) (failed int) {
	head, behind, own := stores[0], "", a.cfg.Stores() == config.Embedded
	for _, s := range stores {
		switch {
		case s.Problem != "":
			failed++
			fmt.Fprintf(a.env.stdout, "Stores: %s of workspace %s (%s) can't be read: %s\n", s.Role, w, s.Name, s.Problem)
		case s.Behind > 0:
			behind += fmt.Sprintf(" The %s is at change %d.", strings.ToLower(s.Role), s.At)
		case !own:
			fmt.Fprintf(a.env.stdout, "Stores: %s of workspace %s (%s) answers in %s.\n", s.Role, w, s.Name, format.Duration(s.Took))
		}
	}
	switch {
	case behind != "":
		fmt.Fprintf(a.env.stdout, "Stores: of workspace %s the ledger is at change %d.%s It catches up when the server runs.\n", w, head.At, behind)
	case failed == 0:
		fmt.Fprintf(a.env.stdout, "Stores: workspace %s is up to date, at change %d.\n", w, head.At)
	}
	return failed
}
