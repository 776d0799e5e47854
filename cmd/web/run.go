package main

import (
	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/report"
)

func runCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	return []*cobra.Command{runReplayCommand(s, load)}
}

// reports describes how runs went.
func (a *app) reports() *report.Runs {
	return &report.Runs{
		Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Loops: map[string]report.Loop{questions.Kind: a.loop(), questions.BranchKind: a.loop(), evaluation.Kind: a.loop()},
		Costs: a.costs, Ledger: a.ledger, Graph: a.graph, Now: a.env.now,
	}
}

// comparisons compare runs, and the answers to a question by each method.
func (a *app) comparisons() *questions.Comparisons {
	return &questions.Comparisons{Ledger: a.ledger, Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Prices: a.costs.Prices, Now: a.env.now}
}

// loop is how often a question may be reworded.
func (a *app) loop() report.Loop {
	return report.Loop{Node: answer.NodeTransform, Max: a.cfg.MaxLoops}
}
