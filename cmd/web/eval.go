package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/eval"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
)

func evalCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var explain int
	var x retrievalOptions
	retrieval := &cobra.Command{
		Use:   "retrieval DIR",
		Short: "Measure the recall of each search method",
		Long: `Ingest the passages in DIR into a temporary library, search for its questions
with every method, and report the share of needed passages among the first two
and the first five results, how early the first of them stands (MRR), and the
time that half and 95 of 100 searches take.

DIR contains passages.jsonl.gz {id, title, text} and questions.jsonl.gz {id,
question, gold: [passage ids]}, and optionally their vectors in passages.f16.npy
and questions.f16.npy. The method builtin is Clew without a model, default is
Clew with these vectors. If DIR contains folders of this kind instead, all their
passages become one library.

With --embed, the embedding model of the settings makes the vectors, for one after
the other of the passages, the questions, and the sentences that DIR lists.

With --triples, what a model once read in the passages, openie.jsonl.gz
{passage, entities, triples: [[subject, relation, object]]}, is the graph, and the
names that rules find lead the walk too, as when a model reads documents. With
--alone they don't.`,
		Example: "  clew eval retrieval ../shared/data/multihop\n  clew eval retrieval --explain 10 ../shared/data/multihop/hotpotqa",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			if explain > 0 {
				return s.explain(cmd.Context(), cfg, args[0], x, explain, asJSON)
			}
			scores, err := s.evaluate(cmd.Context(), cfg, args[0], x)
			if err != nil {
				return err
			}
			return s.printScores(scores, asJSON)
		},
	}
	retrieval.Flags().IntVar(&explain, "explain", 0, "print `N` needed passages that were missed and why, instead of the scores")
	retrieval.Flags().BoolVar(&x.triples, "triples", false, "add what a model read in the passages")
	retrieval.Flags().BoolVar(&x.alone, "alone", false, "with --triples, leave out the names that are found by rule")
	retrieval.Flags().BoolVar(&x.embed, "embed", false, "make the vectors with the embedding model of the settings")
	jsonFlag(retrieval, &asJSON, jsonArray+" of the methods, or of the passages that were missed")
	cmd := &cobra.Command{Use: "eval", Short: "Measure quality on labelled sets"}
	cmd.AddCommand(retrieval, evalQuestionsCommand(s, load), evalAnswersCommand(s, load), evalChunkingCommand(s), evalGradingCommand(s, load), evalExtractionCommand(s, load), evalResolutionCommand(s, load))
	return cmd
}

func evalAnswersCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, heldOut, embed bool
	var explain int
	cmd := &cobra.Command{
		Use:   "answers DIR",
		Short: "Measure the answers given without a chat model",
		Long: `Ingest the passages in DIR into a temporary library and answer its questions
without a chat model. Report how many questions are answered, how many answers
contain the expected words, how many cite the needed passages, and how many
questions are still answered when the needed passages are hidden.

DIR contains the same files as for eval retrieval; its questions also have
{answer, aliases}. If DIR contains documents.jsonl {name, kind, path, sha256}
instead, these files are read, and the questions in questions.jsonl {id, kind,
question, source, verdict, any} are counted by kind: what is expected is in the
sentence quoted first, in one after it or in none, or nothing was near. Paths may contain environment variables. Files that
are absent or have changed are left out with their questions, and named. A hash
divides the questions into halves. The rules were tuned on one; --held-out takes
the other.

Of questions with an expected text it also reports how often a passage with that
text is among the first three and five, and how often the nearest sentence of the
first passage has it, for each way of ordering passages: words, vectors, default
(what a question is answered from), and all passages of the library by the vector of
their best sentence, without and with words. Nothing near counts the questions of
which no sentence of the first eight passages comes near.

With --embed, the embedding model of the settings takes part in searching. Its
vectors are kept in the library of the settings for the next time.`,
		Example: "  clew eval answers --json ../shared/data/multihop/hotpotqa | jq .replies\n" +
			"  GOMODCACHE=$(go env GOMODCACHE) clew eval answers --explain 5 internal/eval/testdata/answers",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.inTemporary(cmd.Context(), func(a *app, p eval.Params) error {
				params := eval.AnswerParams{Params: p, Library: a.graph, Roles: a.builtIn(nil), MaxLoops: a.cfg.MaxLoops}
				if embed {
					if err := withVectors(cmd.Context(), &params, a, load); err != nil {
						return err
					}
				}
				if eval.AsksFiles(args[0]) {
					half := eval.Tuned
					if heldOut {
						half = eval.HeldOut
					}
					score, err := eval.FileAnswers(cmd.Context(), params, args[0], half)
					if err != nil {
						return err
					}
					return s.printFileAnswers(score, explain, asJSON)
				}
				score, err := eval.Answers(cmd.Context(), params, args[0])
				if err != nil {
					return err
				}
				return s.printAnswers(score, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "of questions about files, take the half on which nothing was tried")
	cmd.Flags().BoolVar(&embed, "embed", false, "embed what is read and asked with the embedding model of the settings")
	cmd.Flags().IntVar(&explain, "explain", 0, "also print `N` questions about files that were not answered rightly, with the replies")
	jsonFlag(cmd, &asJSON, jsonObject+", including every reply")
	return cmd
}

// withVectors has the embedding model of the settings take part in an evaluation.
func withVectors(ctx context.Context, p *eval.AnswerParams, a *app, load func() (config.Config, error)) error {
	cfg, err := load()
	if err != nil {
		return err
	}
	embedder, err := embedderOf(cfg)
	if err != nil {
		return err
	}
	kept, err := assemble(ctx, cfg, a.env, (*app).openLedger)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, kept.Close)
	embedder = llm.RecordEmbedder(embedder, kept.ledger)
	p.Stores.Vectors = eval.Stored(embedder, a.ledger)
	p.Roles = a.builtIn(embedder)
	return nil
}

// builtIn returns the roles of the built-in mode over a temporary library, ranking with
// the vectors of e unless it is nil.
func (a *app) builtIn(e llm.Embedder) answer.Roles {
	return searched{a.graph, a.ranker(e), a.searcher()}.answering(0)
}

// embedderOf returns the embedding model of the settings for a command that can't do
// without.
func embedderOf(cfg config.Config) (llm.Embedder, error) {
	cfg, err := withDefaultEmbedder(cfg)
	if err != nil {
		return nil, err
	}
	if !cfg.Embed.Enabled() {
		return nil, domain.Errorf(domain.Invalid, "EMBED_PROVIDER is none: set it to another, or leave out --embed.")
	}
	return newEmbedder(cfg, false, llm.NewLimiters(cfg.Model.Concurrency), slog.New(slog.DiscardHandler))
}

// printFileAnswers prints how questions about files were answered, and explain
// of those that were not answered rightly.
func (s env) printFileAnswers(x eval.FileScore, explain int, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	for _, m := range x.Missing {
		fmt.Fprintln(s.stdout, m)
	}
	if len(x.Missing) > 0 {
		fmt.Fprintf(s.stdout, "%d questions need these files and were skipped.\n\n", x.Skipped)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	verdicts := slices.DeleteFunc(eval.FileVerdicts(), func(v eval.FileVerdict) bool {
		return !slices.ContainsFunc(x.Kinds, func(k eval.FileKind) bool { return k.Verdicts[v] > 0 })
	})
	fmt.Fprint(w, "kind\tquestions\t")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t", v)
	}
	fmt.Fprintln(w)
	for _, k := range x.Kinds {
		fmt.Fprintf(w, "%s\t%d\t", k.Kind, k.Questions)
		for _, v := range verdicts {
			fmt.Fprintf(w, "%d\t", k.Verdicts[v])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout)
	fmt.Fprintln(w, "order\tquestions\tamong three\tamong five\tmarked\tMRR\tnothing near\tunanswerable\tnothing near\t")
	for _, o := range x.Orders {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.3f\t%d\t%d\t%d\t\n", o.Order, o.Questions, o.Three, o.Five, o.Marked, o.MRR, o.Lost, o.Unanswerable, o.Far)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range x.Replies {
		if explain == 0 {
			break
		}
		if r.Judged == eval.Wrong || r.Judged == eval.FalselyRefused || r.Judged == eval.NotShown {
			explain--
			fmt.Fprintf(s.stdout, "\n%s (%s)\n  expected  %s\n  replied   %s\n  from      %s\n", r.Text, r.Judged,
				strings.Join(append([]string{r.Verdict}, r.Expected...), " | "), r.Reply.Answer, strings.Join(r.Reply.Cited, ", "))
		}
	}
	return nil
}

func (s env) printAnswers(x eval.AnswerScore, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tquestions\tanswered\tyes/no\tright\tcites gold\tcites all gold\tright or all\tgold hidden\tms (p50)\t")
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t\n",
		x.Folder, x.Questions, x.Answered, x.YesNo, x.Right, x.OneGold, x.AllGold, x.Good, x.Blind, x.P50)
	return w.Flush()
}

// retrievalOptions holds the flags of an evaluation of retrieval.
type retrievalOptions struct{ triples, alone, embed bool }

// apply adds to what p mines what a model read in the passages of dir, and to p the
// embedding model.
func (x retrievalOptions) apply(p *eval.Params, cfg config.Config, dir string) (err error) {
	if x.triples {
		if x.alone {
			p.Mine = nil
		}
		if p.Mine, err = eval.WithTriples(dir, p.Mine); err != nil {
			return err
		}
	}
	if !x.embed {
		return nil
	}
	p.Embedder, err = embedderOf(cfg)
	return err
}

func (s env) evaluate(ctx context.Context, cfg config.Config, dir string, x retrievalOptions) (scores []eval.Score, err error) {
	err = s.inTemporary(ctx, func(_ *app, p eval.Params) error {
		if err := x.apply(&p, cfg, dir); err != nil {
			return err
		}
		scores, err = eval.Retrieval(ctx, p, dir)
		return err
	})
	return scores, err
}

// explain prints n needed passages that were missed.
func (s env) explain(ctx context.Context, cfg config.Config, dir string, x retrievalOptions, n int, asJSON bool) error {
	var misses []eval.Miss
	err := s.inTemporary(ctx, func(_ *app, p eval.Params) (err error) {
		if err := x.apply(&p, cfg, dir); err != nil {
			return err
		}
		misses, err = eval.Explain(ctx, p, dir, n)
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(s.stdout, misses)
	}
	if len(misses) == 0 {
		fmt.Fprintln(s.stdout, "Every needed passage is among the first five.")
	}
	for _, m := range misses {
		fmt.Fprintf(s.stdout, "%s\n  needs  %s: %s\n  ranks ", m.Question, m.Title, domain.Cut(m.Text, 160))
		for _, method := range slices.Sorted(maps.Keys(m.Ranks)) {
			if rank := m.Ranks[method]; rank > 0 {
				fmt.Fprintf(s.stdout, " %s %d", method, rank)
			} else {
				fmt.Fprintf(s.stdout, " %s -", method)
			}
		}
		fmt.Fprintf(s.stdout, "\n  from   %s\n  found  %s\n\n", m.Started, strings.Join(m.Before, "; "))
	}
	return nil
}

// inTemporary calls measure with a temporary library.
func (s env) inTemporary(ctx context.Context, measure func(*app, eval.Params) error) (err error) {
	temp, err := os.MkdirTemp("", "clew-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	cfg, err := config.Load([]string{"DATA_DIR=" + temp})
	if err != nil {
		return err
	}
	a, err := assemble(ctx, cfg, s, (*app).openLedger, (*app).openStores)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	projector := projection.New(projection.Params{
		Ledger: a.ledger, Graph: a.graph, Vectors: a.vectors, Log: a.log, Key: prose.Key, Sentences: prose.Sentences,
		Embedding: projection.Embedding{Model: eval.EmbeddingModel},
	})
	return measure(a, eval.Params{
		Stores: eval.Stores{Ledger: a.ledger, Project: projector.Apply, Graph: a.graph, Index: a.vectors},
		Mine:   builtInMiner(), Now: s.now,
	})
}

func (s env) printScores(scores []eval.Score, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, scores)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tmethod\tquestions\trecall@2\trecall@5\tMRR\tms (p50)\tms (p95)\t")
	for _, x := range scores {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.1f\t%.1f\t%.3f\t%.1f\t%.1f\t\n",
			x.Folder, x.Method, x.Questions, 100*x.Recall2, 100*x.Recall5, x.MRR, x.P50, x.P95)
	}
	return w.Flush()
}
