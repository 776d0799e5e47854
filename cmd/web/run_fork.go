package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
)

func runForkCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var n int
	var set []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Run on from a step of an answer, with something changed",
		Long: `Run on from a step of an answer, with something changed, and print the new
answer. Nothing before the step is computed or paid again, and the run itself
stays as it is. clew run show lists the steps.

--set FIELD=VALUE changes a field; a value that begins with @ is read from the
file of that name. The fields:

  question      what is asked
  rewrite       the words of the next search
  max_loops     how often the question may be rewritten, in all
  method        how to search: words, vectors, hybrid or walk
  grade.CHUNK   of a passage: relevant or irrelevant
  prompt.ROLE   the number of a version of a prompt, see clew prompts
  draft.ROLE    a text in place of a prompt
  model         another model of the same server, or built-in

Only what still matters after the step can be changed.`,
		Example: `  clew run fork run0123456789abcdef0123 --step 3 --set grade.c0123456789abcdef0123=relevant
  clew run fork run0123456789abcdef0123 --step 0 --set "question=Who paid for it?" --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := withFiles(set)
			if err != nil {
				return err
			}
			in := questions.Forking{Set: values}
			if in.ID = domain.RunID(args[0]); cmd.Flags().Changed("step") {
				in.Step = &n
			}
			v, err := in.Variation(domain.DefaultWorkspace)
			if err != nil {
				return err
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			return a.branch(cmd.Context(), asJSON, func(runs job.Adder) (ledger.Answer, error) {
				v.Runs = runs
				return a.questions.Vary(cmd.Context(), v)
			})
		},
	}
	cmd.Flags().IntVar(&n, "step", 0, "number of the step, from 0")
	cmd.Flags().StringArrayVar(&set, "set", nil, "change a field: `FIELD=VALUE`; can be repeated")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// maxChange bounds what is read of a file with a field's value, as the page bounds its form.
const maxChange = 1 << 20

// withFiles returns the values of --set, with what is in a file where @ names one.
func withFiles(set []string) ([]string, error) {
	values := make([]string, len(set))
	for i, one := range set {
		values[i] = one
		field, name, file := strings.Cut(one, "=@")
		if !file || strings.Contains(field, "=") {
			continue
		}
		text, err := readFile(name, nil, maxChange)
		if err != nil {
			return nil, domain.Because(domain.KindOf(err), err, "The file of %s can't be read: %s", field, domain.InWords(err))
		}
		values[i] = field + "=" + string(text)
	}
	return values, nil
}

// branch carries out, in this process, the branch that start stores, and prints its
// answer.
func (a *app) branch(ctx context.Context, asJSON bool, start func(job.Adder) (ledger.Answer, error)) error {
	run, printed, err := a.written(ctx, asJSON, func(runs job.Adder) (domain.RunID, error) {
		b, err := start(runs)
		return b.Run, err
	})
	if err != nil {
		return err
	}
	return a.printOutcome(ctx, run, printed, asJSON)
}
