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
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/draw"
	"github.com/clewhq/clew/internal/summarize"
)

// drawnGraph is a state graph as text.
type drawnGraph struct {
	about    string
	mermaid  string
	topology stategraph.Topology
}

// graphNames lists the program's state graphs.
func graphNames() []string {
	return []string{"answer", "chart", "check", "generate", "ingest", "rebuild", "summarize"}
}

// namedGraph draws one of the program's state graphs. Nothing it works with is
// connected: only its shape is looked at.
func namedGraph(name string) (drawnGraph, error) {
	switch name {
	case "answer":
		g, err := answer.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Corrective retrieval: search, grade what was found, reword the question when nothing is relevant, and answer from what is.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "chart":
		g, err := chart.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"A chart: have a task turned into a specification, look every number up in the sources, and ask once more when there are mistakes.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "check", "rebuild":
		u, err := maintenance.New(maintenance.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		about := map[string]string{
			"check":   "Comparison: hold the ledger, the uploaded files and the stores to each other, and mend what differs when asked to.",
			"rebuild": "Filling anew: make the vectors that are not recorded, empty the stores and fold the ledger into them; after a change of the embedding model, build the new search index beside the old one and switch.",
		}
		t := u.Kinds().Named(name).Topology
		return drawnGraph{about[name], draw.Mermaid(t), t}, nil
	case "generate":
		g, err := answer.WritingShape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Writing with tools, a subgraph of answer: a chart that the writer calls for is made while the text goes on, and one that fails is made up for in words.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "ingest":
		g, err := ingest.Graph(ingest.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Extraction: read a file, split its text, mine every chunk, publish the result.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	case "summarize":
		g, err := summarize.Shape()
		if err != nil {
			return drawnGraph{}, err
		}
		return drawnGraph{"Map and reduce: summarise every part by itself, collapse the summaries until they fit into one account, and write it.", draw.Mermaid(g.Topology()), g.Topology()}, nil
	}
	return drawnGraph{}, domain.Errorf(domain.NotFound, "There is no graph %q: there are %s.", name, strings.Join(graphNames(), ", "))
}

// graphCommand prints a state graph.
func graphCommand(s surroundings) *cobra.Command {
	return &cobra.Command{
		Use:       "graph " + strings.Join(graphNames(), "|"),
		Short:     "Print a state graph as Mermaid",
		Long:      "Print one of the program's state graphs as a Mermaid flowchart, as the documentation shows it.",
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
