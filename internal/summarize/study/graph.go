// Package study is the graph that makes study sets of documents: glossaries, questions with answers,
// and cards. It cuts the texts into parts as package summarize does, finds items in each, merges equal
// ones, and chooses the best.
//
//	start → cut_documents → (send per part) find_items → choose_items → end
//
// A [Maker] finds the items: a model here, see [ModelMaker], or rules elsewhere. Each item has a
// supporting sentence from its document; items without one are dropped. A part that could not be read
// causes a warning.
package study

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

// The names of the graph and of its nodes.
const (
	Name = "study"

	NodeCut    = "cut_documents"
	NodeFind   = "find_items"
	NodeChoose = "choose_items"
)

// MaxItems is the most items of a study set.
const MaxItems = 100

// RecursionLimit is the maximum number of super-steps of a run.
const RecursionLimit = 5

// partsPerItem limits the parts that are read for each item that is wanted: a library is larger than a set can be.
const partsPerItem = 10

// A Maker finds items in texts.
type Maker interface {
	// Make returns the items of one part. They depend only on the request. If it may have missed some,
	// it calls warn with a sentence that gives the reason.
	Make(ctx context.Context, r Request, warn func(sentence string), emit summarize.Emit) ([]Item, error)
}

// A Request is a request to find items in a part.
type Request struct {
	Wanted
	Part summarize.Part `json:"part"`
	Text string         `json:"text"` // of the part
}

// Wanted describes the items to find, and for which run.
type Wanted struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`    // forces new model calls
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book
	Kind      domain.StudyKind   `json:"kind"`
	Most      int                `json:"most"` // maximum in total
}

// An Item is an item that was found in a part.
type Item struct {
	Front string      `json:"front"`
	Back  string      `json:"back"`
	Span  domain.Span `json:"span"`  // of the sentence that supports it, in its document
	Worth int         `json:"worth"` // higher values are chosen first
	Part  int         `json:"part"`  // set by the graph
}

// Params configure the graph. All are required but Retry, Threads and Codec.
type Params struct {
	Texts   summarize.Texts
	Counter summarize.Counter
	Maker   Maker
	Retry   summarize.Retry
	Threads stategraph.Checkpointer // stores runs; nil means that they are not stored
	Codec   state.Codec
}

type nodes struct {
	Params
	fields
	part   stategraph.Target[State, task]
	pauses costs.Pauses
}

// Graph builds the graph. It fails for a missing parameter.
func Graph(p Params) (*stategraph.Graph[State], error) {
	if p.Texts == nil || p.Counter == nil || p.Maker == nil {
		return nil, errors.New("study graph: a parameter is missing")
	}
	return compile(p)
}

// Shape builds the graph without parameters, for drawing.
func Shape() (*stategraph.Graph[State], error) { return compile(Params{}) }

func compile(p Params) (*stategraph.Graph[State], error) {
	n := &nodes{Params: p, fields: newFields()}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New(Name, n.schema)
	b.Node(NodeCut, n.cut, reads(), writes(n.read, n.contents, n.warnings))
	n.part = stategraph.Task(b, NodeFind, n.find, writes(n.found), stategraph.WithRetry(p.Retry.Policy()))
	b.Node(NodeChoose, n.choose, reads(n.contents, n.found), writes(n.items, n.citations, n.warnings))

	b.Edge(stategraph.Start, NodeCut)
	b.Branch(NodeCut, "fan_out", n.fanOut, stategraph.Case{Label: "each part", Target: NodeFind}, stategraph.Otherwise(stategraph.End))
	b.Edge(NodeFind, NodeChoose)
	b.Edge(NodeChoose, stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec))
}

// State is the state of a run.
type State struct {
	Wanted
	Documents []domain.DocumentID `json:"documents"` // in the order of the set

	Read      []summarize.Read   `json:"read"`
	Contents  []summarize.Part   `json:"contents"`
	Found     []Found            `json:"found"` // in the parts, in order
	Items     []domain.StudyItem `json:"items"`
	Citations []domain.Citation  `json:"citations"`
	Warnings  []string           `json:"warnings"`
}

// Found holds the items found in a part.
type Found struct {
	Part    int    `json:"part"`
	Items   []Item `json:"items"`
	Cut     string `json:"cut,omitempty"`     // why there may be more
	Problem string `json:"problem,omitempty"` // why the part could not be read
}

type fields struct {
	read      state.ReplaceField[State, []summarize.Read]
	contents  state.ReplaceField[State, []summarize.Part]
	found     state.AppendField[State, Found]
	items     state.ReplaceField[State, []domain.StudyItem]
	citations state.ReplaceField[State, []domain.Citation]
	warnings  state.AppendField[State, string]
	schema    *state.Schema[State]
}

// schemaVersion changes with the meaning of a field.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		read:      state.Replace(sc, "read", func(s *State) *[]summarize.Read { return &s.Read }),
		contents:  state.Replace(sc, "contents", func(s *State) *[]summarize.Part { return &s.Contents }),
		found:     state.Append(sc, "found", func(s *State) *[]Found { return &s.Found }),
		items:     state.Replace(sc, "items", func(s *State) *[]domain.StudyItem { return &s.Items }),
		citations: state.Replace(sc, "citations", func(s *State) *[]domain.Citation { return &s.Citations }),
		warnings:  state.Append(sc, "warnings", func(s *State) *[]string { return &s.Warnings }),
		schema:    sc,
	}
}
