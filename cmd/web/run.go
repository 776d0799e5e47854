package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/format"
)

func runCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	return []*cobra.Command{runShowCommand(s, load), runStateCommand(s, load), runMethodsCommand(s, load), runContinueCommand(s, load), runReplayCommand(s, load), runForkCommand(s, load), runExportCommand(s, load)}
}

// shownStep is a moment of a run as clew run show --json prints it.
type shownStep struct {
	Step   int      `json:"step"`
	Said   []string `json:"said,omitempty"`   // what its nodes did, in plain words
	Within []string `json:"within,omitempty"` // subgraphs around the nodes
	Nodes  []string `json:"nodes,omitempty"`  // that ran before it
	Millis int64    `json:"ms"`
	Tokens int      `json:"tokens,omitempty"`
	Cost   string   `json:"cost,omitempty"`
	Writes []string `json:"writes,omitempty"` // fields of the state
	Judged []judged `json:"judged,omitempty"`

	Unfinished bool     `json:"unfinished,omitempty"` // it is at work, and gets this number if it ends next
	Working    []string `json:"working,omitempty"`    // which sends are at work, and what they wait for

	usages []domain.Usage
	grades []domain.Grading
}

// judged is a passage with its grade, and the sentence that it rests on if no model gave it.
type judged struct {
	Document string  `json:"document"`
	Said     string  `json:"said"`
	Nearness float64 `json:"nearness,omitempty"`
	Sentence string  `json:"sentence,omitempty"`
	Reason   string  `json:"reason"`
}

func runShowCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, technical bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "List the steps of a run",
		Long: `Say how a run went, and list its steps, numbered as on its page: in plain words,
or with --technical by the names of its graph, with tokens and what each step wrote.
clew run state shows the state after one of them. Below the steps of a run that is at
work stands what has begun, the slowest sends, and what they wait for.`,
		Example: "  clew run show j0123456789abcdef0123",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				t, err := a.travelled(cmd, args[0])
				if err != nil {
					return err
				}
				steps, total, err := a.priced(cmd.Context(), t)
				if err != nil {
					return err
				}
				for i := range steps {
					if err := a.judge(cmd.Context(), t.Workspace, &steps[i]); err != nil {
						return err
					}
				}
				if asJSON {
					return printJSON(s.stdout, steps)
				}
				if waits := present.Waits(t.Run); waits != "" {
					total = strings.TrimSpace(waits + "\n" + total)
				}
				if technical {
					return printRunSteps(s.stdout, steps, total)
				}
				return printPlainSteps(s.stdout, present.Gist(t.View), steps, total)
			})
		},
	}
	technicalFlag(cmd, &technical)
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func technicalFlag(cmd *cobra.Command, technical *bool) {
	cmd.Flags().BoolVar(technical, "technical", false, "by the names of the graph, with tokens and what each step wrote to the state")
}

// printPlainSteps prints how a run went and its steps in plain words, what is at work, and what all
// of it cost.
func printPlainSteps(out io.Writer, gist string, steps []shownStep, total string) error {
	if gist != "" {
		fmt.Fprintln(out, gist)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, step := range steps {
		if !step.Unfinished {
			fmt.Fprintf(table, "%d\t%s\t%s\n", step.Step, step.says(), format.Duration(time.Duration(step.Millis)*time.Millisecond))
			for _, j := range step.Judged {
				fmt.Fprintf(table, "\t  %s: %s\t\n", j.Said, domain.Cut(j.Document+": "+cmp.Or(j.Sentence, j.Reason), maxTraced))
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printAtWork(out, steps, shownStep.says, total)
}

// printRunSteps prints the steps of a run, what is at work, and what all of it cost.
func printRunSteps(out io.Writer, steps []shownStep, total string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STEP\tNODES\tMS\tTOKENS\tCOST\tWRITES")
	for _, step := range steps {
		if !step.Unfinished {
			fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%s\t%s\n", step.Step, step.named(), step.Millis, step.Tokens, step.Cost, strings.Join(step.Writes, ", "))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printAtWork(out, steps, shownStep.named, total)
}

// printAtWork prints what is at work, each step as name has it, and what all of the run cost.
func printAtWork(out io.Writer, steps []shownStep, name func(shownStep) string, total string) error {
	for _, step := range steps {
		if !step.Unfinished {
			continue
		}
		fmt.Fprintln(out, "At work:", name(step))
		for _, said := range step.Working {
			fmt.Fprintln(out, "  "+said)
		}
	}
	if total == "" {
		return nil
	}
	_, err := fmt.Fprintln(out, total)
	return err
}

func (s shownStep) named() string {
	return strings.Join(append(slices.Clip(s.Within), strings.Join(s.Nodes, ", ")), "/")
}

// says tells in plain words what a step did.
func (s shownStep) says() string {
	if len(s.Said) == 0 {
		return "Start"
	}
	return strings.Join(s.Said, ", ")
}

// priced returns the steps of a run with what they cost, and the whole in a line, ""
// if no model was asked.
func (a *app) priced(ctx context.Context, t travelled) (steps []shownStep, total string, err error) {
	table, err := a.costs.Prices.Table(ctx)
	if err != nil {
		return nil, "", err
	}
	day := costDay(t.View)
	steps = t.steps()
	for i, step := range steps {
		if step.Tokens > 0 {
			steps[i].Cost = table.Sum(day, step.usages...).Short()
		}
	}
	if t.View.Tokens() > 0 {
		total = a.costOf(ctx, t.View)
	}
	return steps, total, nil
}

func costDay(v *trace.View) string { return costs.DayOf(v.Started) }

// costOf says what a run used and cost, "" if it asked no model.
func (a *app) costOf(ctx context.Context, v *trace.View) string {
	t, err := a.costs.Prices.Table(ctx)
	if err != nil || v.Tokens() == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s", format.Count(v.Tokens(), "token", "tokens"), t.Sum(costDay(v), v.Usages()...))
}

func runStateCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "state ID",
		Short: "Print the state of a run after one of its steps",
		Long: `Print the state of a run after one of its steps: each field, and with a
star those that the step changed. Step 0 is the start; without --step it is the
last state.`,
		Example: "  clew run state j0123456789abcdef0123 --step 4",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				t, err := a.travelled(cmd, args[0])
				if err != nil {
					return err
				}
				if !cmd.Flags().Changed("step") {
					n = len(t.Moments) - 1
				}
				m, err := trace.MomentAt(t.Moments, n)
				if err != nil {
					return err
				}
				fields, err := t.Kind.Fields(cmd.Context(), t.ID, m)
				if err != nil {
					return err
				}
				return printState(s.stdout, fields, asJSON)
			})
		},
	}
	cmd.Flags().IntVar(&n, "step", 0, "number of the step, from 0")
	jsonFlag(cmd, &asJSON, jsonArray+" of the fields, each before and after the step")
	return cmd
}

func printState(out io.Writer, fields []run.Field, asJSON bool) error {
	if asJSON {
		type field struct {
			Field  string          `json:"field"`
			Before json.RawMessage `json:"before,omitempty"` // none at the start
			After  json.RawMessage `json:"after"`
		}
		list := make([]field, len(fields))
		for i, f := range fields {
			list[i] = field{f.Name, f.Before, f.After}
		}
		return printJSON(out, list)
	}
	for _, f := range fields {
		star := " "
		if f.Changed() {
			star = "*"
		}
		if _, err := fmt.Fprintf(out, "%s %s  %s\n", star, f.Name, f.After); err != nil {
			return err
		}
	}
	return nil
}

// judge adds the grades of a step, the passages that are near or relevant first.
func (a *app) judge(ctx context.Context, w domain.WorkspaceID, step *shownStep) error {
	sentences, err := present.NearestSentences(ctx, a.ledger, w, step.grades)
	if err != nil {
		return err
	}
	for _, relevant := range []bool{true, false} {
		for _, g := range step.grades {
			if (g.Verdict == domain.Relevant) != relevant {
				continue
			}
			j := judged{Document: g.Where(), Said: g.Said(), Sentence: sentences[g.Chunk], Reason: g.Reason}
			if g.Nearest != nil {
				j.Nearness = g.Nearest.Score
			}
			step.Judged = append(step.Judged, j)
		}
	}
	return nil
}

// travelled is a run with its moments.
type travelled struct{ present.Log }

func (a *app) travelled(cmd *cobra.Command, id string) (travelled, error) {
	r, err := a.queue.Get(cmd.Context(), domain.DefaultWorkspace, domain.RunID(id))
	if err != nil {
		return travelled{}, err
	}
	runs := &present.Runs{Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Loops: map[string]present.Loop{questions.Kind: a.loop(), questions.BranchKind: a.loop(), evaluation.Kind: a.loop()}, Now: a.env.now}
	l, err := runs.Log(cmd.Context(), r)
	if err == nil && len(l.Moments) == 0 {
		err = domain.Errorf(domain.NotFound, "The steps of this run are gone: it has read a document that was deleted, or has not begun.")
	}
	return travelled{l}, err
}

// loop is how often a question may be reworded.
func (a *app) loop() present.Loop {
	return present.Loop{Node: answer.NodeTransform, Max: a.cfg.MaxLoops}
}

func (t travelled) steps() []shownStep {
	steps := make([]shownStep, 0, len(t.Moments))
	for _, m := range t.Moments {
		step := shownStep{Step: m.N}
		for _, row := range m.Rows {
			s := t.View.Steps[row-1]
			step.Within, step.Nodes = s.Path, append(step.Nodes, s.Node)
			step.Said = append(step.Said, present.Said(t.View, s, t.Loop))
			step.Millis, step.Tokens = max(step.Millis, s.Took.Milliseconds()), step.Tokens+s.Tokens()
			step.usages, step.grades = append(step.usages, s.Usages...), append(step.grades, s.Grades...)
			step.Writes = append(step.Writes, s.Writes...)
		}
		steps = append(steps, step)
	}
	for _, s := range t.View.Steps {
		if s.State == trace.Working {
			steps = append(steps, shownStep{
				Step: len(t.Moments), Within: s.Path, Nodes: []string{s.Node}, Said: []string{present.Said(t.View, s, t.Loop)}, Tokens: s.Tokens(), Unfinished: true, Working: present.AtWork(s), usages: s.Usages,
			})
		}
	}
	return steps
}
