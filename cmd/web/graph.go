package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/maintenance"
	"github.com/clewhq/clew/internal/proposals"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/draw"
	"github.com/clewhq/clew/internal/summarize"
)

// drawnGraph is a state graph with its drawing.
type drawnGraph struct {
	about    string
	mermaid  string
	topology stategraph.Topology
}

func graphNames() []string {
	return []string{"answer", "chart", "check", "generate", "ingest", "rebuild", "resolve", "summarize"}
}

// namedGraph draws one of the program's state graphs. It builds only the shape,
// without dependencies.
func namedGraph(name string) (drawnGraph, error) {
	switch name {
	case "answer":
		g, err := answer.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Corrective retrieval: search, grade the passages, rewrite the question if none is relevant, and answer from those that are.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "chart":
		g, err := chart.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"A chart: turn the task into a specification, look up every number in the sources, and ask once more if there are mistakes.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "check", "rebuild":
		u, err := maintenance.New(maintenance.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		about := map[string]string{
			"check":   "Check: compare the ledger, the uploaded files and the stores, and repair the differences on request.",
			"rebuild": "Rebuild: compute missing vectors, empty the stores and fold the ledger into them; after a change of embedding model, build the new search index beside the old one and switch over.",
		}
		t := u.Kinds().Named(name).Topology
		return drawnGraph{about[name], draw.Mermaid(t), t}, nil
	case "generate":
		g, err := answer.WritingShape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Writing with tools, a subgraph of answer: charts are made while the text is being written, and the writer makes up for failed ones in words.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "ingest":
		g, err := ingest.Graph(ingest.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Ingest: parse a file, split its text, extract from every chunk, publish the result.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "resolve":
		p, err := proposals.New(proposals.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		t := p.Kind().Topology
		return drawnGraph{"Resolution: compare all entities, bring the merges by rule up to date in the curation log, and store what is left to people as proposals.", draw.Mermaid(t), t}, nil
	case "summarize":
		g, err := summarize.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Map and reduce: summarise each part, collapse the summaries until they fit into one account, and write it.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	}
	return drawnGraph{}, domain.Errorf(domain.NotFound, "There is no graph %q. The graphs are %s.", name, strings.Join(graphNames(), ", "))
}

func graphCommand(s env) *cobra.Command {
	return &cobra.Command{
		Use:       "graph " + strings.Join(graphNames(), "|"),
		Short:     "Print a state graph as Mermaid",
		Long:      "Print one of the program's state graphs as a Mermaid flowchart, as in the documentation.",
		Example:   "  clew graph answer",
		ValidArgs: graphNames(),
		Args:      cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := namedGraph(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(s.stdout, g.mermaid)
			return err
		},
	}
}
