package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/summarize"
)

// summarised is the output of clew summarize --json.
type summarised struct {
	Summary   string            `json:"summary"`
	Citations []questions.Cited `json:"citations"`
	Condensed bool              `json:"condensed"`
	Warnings  []string          `json:"warnings"`
	Run       string            `json:"run"`
	ID        string            `json:"id"`
}

func summarizeCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var length string
	var o summaries.Order
	cmd := &cobra.Command{
		Use:   "summarize [DOCUMENT...]",
		Short: "Summarise documents, or the whole library",
		Long: `Summarise documents, given by name or id, or those with a tag (--tag), or all
(--all). Each sentence is followed by the numbers of its sources, which are
listed below. The command needs no server but may run beside one; the web pages
show the summary afterwards.`,
		Example: `  clew summarize minutes.docx --length short
  clew summarize letters.pdf replies.pdf --focus "who owes money to whom"
  clew summarize --tag minutes
  clew summarize --all --json | jq -r .summary`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			if len(args) == 0 && !o.Whole && o.Tag == "" {
				return domain.Errorf(domain.Invalid, "Name the documents to summarise, or choose them with --tag or --all.")
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			o.Workspace, o.Length = domain.DefaultWorkspace, summarize.Length(length)
			return a.summarize(cmd.Context(), o, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&o.Whole, "all", false, "summarise the whole library")
	cmd.Flags().StringVar(&o.Tag, "tag", "", "summarise the documents with this tag")
	cmd.Flags().StringVar(&length, "length", string(summarize.Medium), "short, medium or long")
	cmd.Flags().StringVar(&o.Focus, "focus", "", "for whom, or what about, for instance \"for a lawyer\"")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "fail if the summaries can't be condensed far enough")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// summarize runs the summary in this process and prints it.
func (a *app) summarize(ctx context.Context, o summaries.Order, names []string, asJSON bool) (err error) {
	if o.Documents, err = a.documents.Find(ctx, o.Workspace, names); err != nil {
		return err
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	o.Runs = worker.Take()
	s, err := a.summaries.Start(ctx, o)
	if err != nil {
		return err
	}
	run, err := worker.Do(ctx, s.Run)
	if err == nil && run.Status.Pending() {
		err = a.giveUp(context.WithoutCancel(ctx), run)
	}
	if err != nil {
		return err
	}
	if s, err = a.ledger.Summary(ctx, s.Workspace, s.ID); err != nil {
		return err
	}
	if run.Status != job.Done {
		return domain.Errorf(domain.Unavailable, "The summary was not made: %s", cmp.Or(run.Problem, "it was stopped."))
	}
	if asJSON {
		return a.printSummaryJSON(ctx, s)
	}
	a.printSummary(s)
	return nil
}

func (a *app) printSummary(s ledger.Summary) {
	fmt.Fprintln(a.env.stdout, summaryText(s))
	for _, c := range s.Citations {
		fmt.Fprintf(a.env.stdout, "  [%d] %s%s: “%s”\n", c.N, c.Document, pageOf(c), domain.OneLine(c.Text))
	}
	for _, w := range s.Warnings {
		fmt.Fprintln(a.env.stderr, w)
	}
}

// summaryText returns the text of a summary with citation numbers.
func summaryText(s ledger.Summary) string {
	var b strings.Builder
	for i, line := range s.Sentences {
		switch {
		case i > 0 && line.Paragraph != s.Sentences[i-1].Paragraph:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteString(" ")
		}
		b.WriteString(line.Text)
		for j, n := range line.Citations {
			if j == 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}

func (a *app) printSummaryJSON(ctx context.Context, s ledger.Summary) error {
	citations, err := a.questions.Cited(ctx, domain.DefaultWorkspace, s.Citations)
	if err != nil {
		return err
	}
	out := summarised{
		Summary: summaryText(s), Citations: citations, Condensed: s.Condensed, Warnings: append([]string{}, s.Warnings...),
		Run: string(s.Run), ID: string(s.ID),
	}
	return printJSON(a.env.stdout, out)
}
