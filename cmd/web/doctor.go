package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
)

// doctorCommand reports in words what works.
func doctorCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check settings, stores, models and disk, and report in plain words",
		Long: `Check that the settings make sense, the stores answer and are up to date, the
models do what they are needed for, and the disk has room, and report in plain words. The test of
a model makes a few short calls. All workspaces are looked at, or the one that
--workspace names. The exit status is 1 when something is wrong.`,
		Example: `  clew doctor
  clew doctor --json | jq '.findings[] | select(.wrong)'`,
		Args: cobra.NoArgs,
	}
	return withJSON(cmd, s, jsonObject, func(cmd *cobra.Command, _ []string, s env) (*checkup, error) {
		cfg, err := load()
		if err != nil {
			return nil, err
		}
		c := &checkup{out: s.stdout}
		c.says("Program", "clew %s.", release())
		c.says("Settings", "in order; the stores are %s.", cfg.Stores())
		for _, sentence := range cfg.Misspelt() {
			c.says("Settings", "%s", sentence)
		}
		s.foreign = true // what is wrong with them is in the report
		a, err := open(cmd.Context(), cfg, s)
		if err != nil {
			c.lookApart(cmd.Context(), cfg, s)
			return c, err
		}
		defer a.Close()
		err = a.diagnose(cmd.Context(), c, named(cmd)...)
		c.OK = err == nil
		return c, err
	})
}

// A checkup is what the doctor says, told as it is found.
type checkup struct {
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"`

	out   io.Writer
	wrong int
}

// A finding is about one part of the program.
type finding struct {
	About string `json:"about"`
	Says  string `json:"says"`
	Wrong bool   `json:"wrong"`
}

// says adds a finding.
func (c *checkup) says(about, format string, args ...any) {
	c.Findings = append(c.Findings, finding{About: about, Says: fmt.Sprintf(format, args...)})
	fmt.Fprintf(c.out, "%s: %s\n", about, c.Findings[len(c.Findings)-1].Says)
}

// complains adds a finding of something that is wrong.
func (c *checkup) complains(about, format string, args ...any) {
	c.says(about, format, args...)
	c.Findings[len(c.Findings)-1].Wrong = true
	c.wrong++
}

// lookApart describes the state of each server when one of them keeps the program closed.
func (c *checkup) lookApart(ctx context.Context, cfg config.Config, s env) {
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
		if err != nil {
			c.complains("Stores", "%s can't be read: %s", store.role, domain.InWords(err))
		} else {
			c.says("Stores", "%s answers.", store.role)
		}
	}
}

// diagnose reports on everything, and fails if something is wrong.
func (a *app) diagnose(ctx context.Context, c *checkup, only ...string) error {
	look := a.monitor()
	outgrown, outgrownErr := a.maintenance.Outgrown(ctx)
	err := a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error {
		a.reportStores(c, w.Name, look.Stores(ctx, w.ID))
		if left := a.leftToEmbed(ctx, w.ID); left != "" {
			c.says("Search index", "%s The server embeds the others in the background.", left)
		} else if a.models.Embeds() && outgrown == "" {
			c.says("Search index", "%s", a.waysOfSentences(ctx, w.ID))
		}
		return nil
	}, only...)
	if err != nil {
		return err
	}
	switch {
	case domain.KindOf(outgrownErr) == domain.Unavailable && c.wrong > 0: // reported above
	case outgrownErr != nil:
		c.complains("Search index", "it can't be read: %s", domain.InWords(outgrownErr))
	case outgrown != "":
		c.complains("Search index", "%s Until clew rebuild has run, questions are answered by words and by the graph.", outgrown)
	}
	if a.used.WordsAlone != nil {
		c.says("Search", "by words alone. %s", domain.InWords(a.used.WordsAlone))
	}
	for _, m := range a.used.Connected {
		if m.Problem != "" {
			c.complains("Model", "%s is not used for %s. %s", m.Model, m.Role, m.Problem)
		}
	}
	for _, m := range a.models.Reach(ctx) {
		say := c.complains
		if m.OK {
			say = c.says
		}
		say("Model", "%s", m.Sentence)
	}
	a.reportMonitoring(ctx, c)
	if d := look.Disk(ctx); d.Known {
		c.says("Disk", "%s free for %s.", format.Bytes(d.Free), d.Folder)
		if d.Low() {
			c.complains("Disk", "that is low. Free some space before uploads are refused.")
		}
	}
	if c.wrong > 0 {
		return domain.Errorf(domain.Unavailable, "%s wrong.", format.Count(c.wrong, "thing is", "things are"))
	}
	return nil
}

// reportStores reports on the stores of a workspace.
func (a *app) reportStores(c *checkup, w string, stores []maintenance.StoreState) {
	head, behind, failed, own := stores[0], "", false, a.cfg.Stores() == config.Embedded
	for _, s := range stores {
		switch {
		case s.Problem != "":
			failed = true
			c.complains("Stores", "%s of workspace %s (%s) can't be read: %s", s.Role, w, s.Name, s.Problem)
		case s.Behind > 0:
			behind += fmt.Sprintf(" The %s is at change %d.", strings.ToLower(s.Role), s.At)
		case !own:
			c.says("Stores", "%s of workspace %s (%s) answers in %s.", s.Role, w, s.Name, format.Duration(s.Took))
		}
	}
	switch {
	case behind != "":
		c.says("Stores", "of workspace %s the ledger is at change %d.%s It catches up when the server runs.", w, head.At, behind)
	case !failed:
		c.says("Stores", "workspace %s is up to date, at change %d.", w, head.At)
	}
}
