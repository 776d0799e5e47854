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
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/crawl"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/maintenance"
	"github.com/clewhq/clew/internal/proposals"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/draw"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/themes"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/diagram/picture"
)

// drawnGraph is a state graph with its drawing.
type drawnGraph struct {
	about    string
	mermaid  string
	topology stategraph.Topology
}

func graphNames() []string {
	return []string{"answer", "chart", "check", "crawl", "generate", "ingest", "rebuild", "resolve", "summarize", "themes"}
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
	case "crawl":
		s, err := crawl.New(crawl.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		t := s.Kind().Topology
		return drawnGraph{"Crawl: visit one address after the other, add what it holds, and note where it leads.", draw.Mermaid(t), t}, nil
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
	case "themes":
		s, err := themes.New(themes.Params{})
		if err != nil {
			return drawnGraph{}, err
		}
		t := s.Kind().Topology
		return drawnGraph{"Themes: find the communities of the graph that have changed, and have a model sum up each of them.", draw.Mermaid(t), t}, nil
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
  clew graph answer --svg answer.svg --png answer.png`,
		ValidArgs: graphNames(),
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := namedGraph(args[0])
			if err != nil {
				return err
			}
			if mermaid || svg == "" && png == "" {
				if _, err := fmt.Fprint(s.stdout, g.mermaid); err != nil {
					return err
				}
			}
			d := diagram.Draw(present.Unfolded(g.topology), nil, nil)
			return errors.Join(
				s.draw(svg, func(to io.Writer) error { return picture.SVG(to, d, "State graph "+args[0]) }),
				s.draw(png, func(to io.Writer) error { return picture.PNG(to, d) }),
			)
		},
	}
	cmd.Flags().BoolVar(&mermaid, "mermaid", false, "print Mermaid, as without any flag")
	cmd.Flags().StringVar(&svg, "svg", "", "write SVG to a file")
	cmd.Flags().StringVar(&png, "png", "", "write PNG to a file")
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
