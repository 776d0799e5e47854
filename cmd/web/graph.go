package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/draw"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/diagram/picture"
)

// drawnGraph is a state graph with its drawing.
type drawnGraph struct {
	about    string
	mermaid  string
	topology stategraph.Topology
}

// A shape is one of the program's state graphs.
type shape struct {
	name, about string
	topology    func() (stategraph.Topology, error)
}

// shapes are all state graphs by name.
var shapes = []shape{
	{"answer", "Corrective retrieval: search, grade the passages, rewrite the question if none is relevant, and answer from those that are.", shapeOf(answer.Shape)},
	{"chart", "A chart: turn the task into a specification, look up every number in the sources, and ask once more if there are mistakes.", shapeOf(chart.Shape)},
	{"check", "Check: compare the ledger, the uploaded files and the stores, and repair the differences on request.", maintains("check")},
	{"crawl", "Crawl: visit one address after another, add its content, and follow its links.", kindOf(crawl.New, crawl.Params{})},
	{"embed", "Embedding: make the vectors of passages that lack them, then those of sentences, and add them to the search index.", maintains("embed")},
	{"generate", "Writing with tools, a subgraph of answer: charts are made while the text is being written, and the writer makes up for failed ones in words.", shapeOf(answer.WritingShape)},
	{"ingest", "Ingest: parse a file, split its text, extract from every chunk, publish the result.", func() (stategraph.Topology, error) {
		g, err := ingest.Graph(ingest.Params{})
		if err != nil {
			return stategraph.Topology{}, err
		}
		return g.Topology(), nil
	}},
	{"look", "Look at a source: list what it holds, compare that with what is known, and fetch what is new or may have changed.", kindOf(source.New, source.Params{})},
	{"rebuild", "Rebuild: compute missing vectors, empty the stores and fold the ledger into them; after a change of embedding model, build the new search index beside the old one and switch over.", maintains("rebuild")},
	{"research", "Research: plan questions, answer each by the graph of answers, ask about what is still open, and write a report.", shapeOf(research.Shape)},
	{"resolve", "Resolution: compare all entities, bring the merges by rule up to date in the curation log, and store the remaining pairs as proposals for people.", kindOf(proposals.New, proposals.Params{})},
	{"study", "Study sets: cut documents into parts, find terms, questions or cards in each, and choose the best.", shapeOf(study.Shape)},
	{"summarize", "Map and reduce: summarise each part, collapse the summaries until they fit into one account, and write it.", shapeOf(summarize.Shape)},
	{"themes", "Themes: find the communities of the graph that have changed, and have a model summarise each of them.", kindOf(themes.New, themes.Params{})},
}

// shapeOf returns the topology of a graph that is built without dependencies.
func shapeOf[G interface{ Topology() stategraph.Topology }](build func() (G, error)) func() (stategraph.Topology, error) {
	return func() (stategraph.Topology, error) {
		g, err := build()
		if err != nil {
			return stategraph.Topology{}, err
		}
		return g.Topology(), nil
	}
}

// kindOf returns the topology of a service's only kind of run.
func kindOf[P any, S interface{ Kind() run.Kind }](build func(P) (S, error), p P) func() (stategraph.Topology, error) {
	return func() (stategraph.Topology, error) {
		s, err := build(p)
		if err != nil {
			return stategraph.Topology{}, err
		}
		return s.Kind().Topology, nil
	}
}

// maintains returns the topology of a kind of maintenance.
func maintains(kind string) func() (stategraph.Topology, error) {
	return func() (stategraph.Topology, error) {
		m, err := maintenance.New(maintenance.Params{})
		if err != nil {
			return stategraph.Topology{}, err
		}
		return m.Kinds().Named(kind).Topology, nil
	}
}

func graphNames() []string {
	names := make([]string, len(shapes))
	for i, g := range shapes {
		names[i] = g.name
	}
	return names
}

// namedGraph draws one of the program's state graphs. It builds only the shape,
// without dependencies.
func namedGraph(name string) (drawnGraph, error) {
	for _, g := range shapes {
		if g.name == name {
			t, err := g.topology()
			return drawnGraph{g.about, draw.Mermaid(t), t}, err
		}
	}
	return drawnGraph{}, domain.Errorf(domain.NotFound, "There is no graph %q. The graphs are %s.", name, strings.Join(graphNames(), ", "))
}

func graphCommand(s env) *cobra.Command {
	var svg, png string
	var mermaid bool
	cmd := &cobra.Command{
		Use:   "graph " + strings.Join(graphNames(), "|"),
		Short: "Print a state graph as Mermaid, or draw it as SVG or PNG",
		Long: `Print one of the program's state graphs as a Mermaid flowchart, as in the
documentation, or write it to a file as the page of a run draws it, with subgraphs
in place. A file - is standard output.`,
		Example: `  clew graph answer
  clew graph answer --svg answer.svg --png answer.png
  clew graph ingest --json`,
		ValidArgs: graphNames(),
		Args:      cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&mermaid, "mermaid", false, "print Mermaid, the default")
	cmd.Flags().StringVar(&svg, "svg", "", "write SVG to a file")
	cmd.Flags().StringVar(&png, "png", "", "write PNG to a file")
	withJSON(cmd, s, jsonObject+" with its nodes and edges", func(_ *cobra.Command, args []string, s env) (*stategraph.Topology, error) {
		g, err := namedGraph(args[0])
		if err != nil {
			return nil, err
		}
		if mermaid || svg == "" && png == "" {
			if _, err := fmt.Fprint(s.stdout, g.mermaid); err != nil {
				return nil, err
			}
		}
		d := diagram.Draw(report.Unfolded(g.topology), nil, nil)
		return &g.topology, errors.Join(
			s.draw(svg, func(to io.Writer) error { return picture.SVG(to, d, "State graph "+args[0]) }),
			s.draw(png, func(to io.Writer) error { return picture.PNG(to, d) }),
		)
	})
	for _, drawing := range []string{"mermaid", "svg", "png"} {
		cmd.MarkFlagsMutuallyExclusive("json", drawing)
	}
	return cmd
}

// draw writes a picture to a file, or to standard output for -.
func (s env) draw(file string, write func(io.Writer) error) error {
	switch file {
	case "":
		return nil
	case "-":
		return write(s.stdout)
	}
	var drawn bytes.Buffer
	if err := write(&drawn); err != nil {
		return err
	}
	if err := os.WriteFile(file, drawn.Bytes(), 0o644); err != nil { //nolint:gosec // a drawing of the program is no secret
		return domain.Because(domain.Invalid, err, "The file can't be written: %v.", err)
	}
	return nil
}
