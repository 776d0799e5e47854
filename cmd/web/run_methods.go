package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	runpage "github.com/clewhq/clew/internal/web/run"
)

// methodsCompared is the output of clew run methods --json.
type methodsCompared struct {
	Question string            `json:"question"`
	Helped   string            `json:"helped"` // whether the graph did, in words
	Methods  []methodCompared  `json:"methods"`
	Passages []passageCompared `json:"passages"` // needed ones first
}

type methodCompared struct {
	Method  domain.MethodName    `json:"method"` // "" is the whole loop
	Run     domain.RunID         `json:"run"`
	Status  ledger.MessageStatus `json:"status"`
	Problem string               `json:"problem,omitempty"`
	Answer  string               `json:"answer"`
	Needed  int                  `json:"needed_read"`
	Millis  int64                `json:"ms"`
	Tokens  int                  `json:"tokens"`
	Cost    cost                 `json:"cost"`
}

type passageCompared struct {
	Chunk  domain.ChunkID          `json:"chunk"`
	Needed bool                    `json:"needed"` // an answer rests on it
	Only   bool                    `json:"only"`   // only methods that use the graph read it
	Ranks  map[string]rankCompared `json:"ranks"`  // by method; "loop" is the whole loop
	Path   []domain.Hop            `json:"path,omitempty"`
}

type rankCompared struct {
	Rank int  `json:"rank"`
	Read bool `json:"read"`
}

func runMethodsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, again bool
	cmd := &cobra.Command{
		Use:   "methods ID",
		Short: "Compare the answers to a question by each method of searching",
		Long: `Compare the answers to the question of a run: by words only, by vectors where
there is an embedding model, by both, over the graph, and by the whole loop. It
answers the question by each method once and keeps the answers with the turn;
--again answers it anew. The turn's own answer stays as it is.`,
		Example: "  clew run methods j0123456789abcdef0123",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				sides, err := a.comparisons().Sides(cmd.Context(), domain.DefaultWorkspace, domain.RunID(args[0]))
				if err != nil {
					return err
				}
				if sides[0].Message == "" {
					return domain.Errorf(domain.Invalid, "Run %s answers no question: it is of the kind %s.", args[0], sides[0].Run.Kind)
				}
				return a.byMethods(cmd.Context(), sides[0].Message, again, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "answer by each method anew")
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// byMethods prints the answers to a message's question by each method. It makes them
// first if there are none.
func (a *app) byMethods(ctx context.Context, id domain.MessageID, again, asJSON bool) error {
	m, err := a.ledger.Message(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return err
	}
	by, err := a.branches.ByMethod(ctx, m.Workspace, id)
	if err == nil && (again || len(by) == 0) {
		if err = a.runMethods(ctx, id); err == nil {
			by, err = a.branches.ByMethod(ctx, m.Workspace, id)
		}
	}
	if err != nil {
		return err
	}
	c, err := a.methodsOf(ctx, m, by)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(a.env.stdout, c)
	}
	return c.print(a.env.stdout)
}

// runMethods answers a message's question by each method, in this process.
func (a *app) runMethods(ctx context.Context, id domain.MessageID) (err error) {
	if err := a.catchUp(ctx); err != nil {
		return err
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	started, err := a.branches.StartMethods(ctx, domain.DefaultWorkspace, id, func() job.Adder { return worker.Take() })
	if err != nil {
		return err
	}
	failed := make([]error, len(started))
	var wg sync.WaitGroup
	for i, b := range started {
		wg.Go(func() {
			var r job.Run
			if r, failed[i] = worker.Do(ctx, b.Run); failed[i] == nil && r.Status.Pending() {
				failed[i] = a.giveUp(context.WithoutCancel(ctx), r)
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

func (a *app) methodsOf(ctx context.Context, m ledger.Message, by map[domain.MethodName]ledger.Branch) (methodsCompared, error) {
	ways, ranks, err := a.comparisons().Ways(ctx, m.Workspace, by)
	if err != nil {
		return methodsCompared{}, err
	}
	word, sentence := ranks.Helped()
	c := methodsCompared{Question: m.Question, Helped: word + " " + sentence, Methods: []methodCompared{}, Passages: []passageCompared{}}
	for i, way := range ways {
		c.Methods = append(c.Methods, methodCompared{
			way.Method, way.Branch.Run, way.Branch.Status, way.Branch.Problem, way.Branch.Answer, ranks.Read(i),
			way.View.Took(a.env.now()).Milliseconds(), way.View.Tokens(), costOf(way.Cost),
		})
	}
	for _, x := range ranks.Rows {
		p := passageCompared{Chunk: x.Chunk, Needed: x.Needed, Only: x.Only, Ranks: map[string]rankCompared{}, Path: x.Path}
		for i, k := range x.Ranks {
			if k.N > 0 {
				p.Ranks[or(string(ways[i].Method), "loop")] = rankCompared{k.N, k.Read}
			}
		}
		c.Passages = append(c.Passages, p)
	}
	return c, nil
}

func (c methodsCompared) print(out io.Writer) error {
	fmt.Fprintf(out, "%s\n\nDid the graph help? %s\n\n", c.Question, c.Helped)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METHOD\tNEEDED READ\tMS\tTOKENS\tCOST\tANSWER")
	for _, m := range c.Methods {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\n", runpage.MethodTitle(m.Method), m.Needed, m.Millis, m.Tokens, m.Cost.text, domain.Cut(or(m.Problem, m.Answer), 70))
	}
	return table.Flush()
}
