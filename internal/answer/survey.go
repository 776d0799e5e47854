package answer

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// A Surveyor reads a library as a whole, for questions that no single passage
// answers.
type Surveyor interface {
	// Survey returns what documents are about, in parts; no documents mean all. A
	// survey without parts says that nothing was found to be read so.
	Survey(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (Survey, error)
}

// The ways to read a library as a whole.
const (
	ByPassages    = "passages"    // all of them, of a small scope
	ByDocuments   = "documents"   // the sentences that stand for each document
	ByCommunities = "communities" // the sentences that stand for each community of the graph
)

// A Survey holds the material for a question about the whole library.
type Survey struct {
	Way   string           `json:"way"`
	Why   string           `json:"why"` // in words
	Parts []Part           `json:"parts"`
	Rest  []domain.ChunkID `json:"rest,omitempty"` // passages to read beside those of the lines
}

// Part is a community or a document.
type Part struct {
	Names []string `json:"names"` // of entities that its passages mention, or of the document
	Lines []Line   `json:"lines"`
}

// Line is a sentence that stands for a part.
type Line struct {
	Chunk domain.ChunkID `json:"chunk"`
	Span  domain.Span    `json:"span"` // in the document's text
}

// passages lists the passages of a survey, each once.
func (s Survey) passages() []domain.ChunkID {
	var ids []domain.ChunkID
	add := func(id domain.ChunkID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, p := range s.Parts {
		for _, l := range p.Lines {
			add(l.Chunk)
		}
	}
	for _, id := range s.Rest {
		add(id)
	}
	return ids
}

// whole are the forms of questions about all that is there.
var whole = func() []*regexp.Regexp {
	const (
		kind  = `(main|key|major|principal|central|common|overall|most important|recurring) (themes?|topics?|subjects?)`
		these = `(this|these|those|the|my|our|all|all the|all my|all these|the whole|the two|these two|the three|these three|both)`
		texts = `(library|collection|archive|documents?|files?|texts?|papers?|notes|letters|minutes|sources|pages|everything)`
	)
	var all []*regexp.Regexp
	for _, form := range []string{
		`(what|which) (is|are|were) (the )?` + kind + `( (here|in all|overall))?`,
		`(what|which) ` + kind + `( (are|do|does) .*)?`,
		`((what|which) (is|are|were) (the )?|list (the )?|name (the )?|give me (the )?)` + kind + ` (of|in|across|among|covered by|discussed in) ` + these + `( ` + texts + `)?`,
		`what (is|are|s) (this|these|those|everything|it all|it) (all )?about`,
		`what (is|are|s) ` + these + ` ` + texts + ` (all )?about`,
		`what (do|does) ` + these + ` ` + texts + ` (cover|say|talk about|deal with|discuss|tell)( .*)?`,
		`(please )?(summari[sz]e|sum up|describe|compare|contrast) (` + these + `|` + these + ` ` + texts + `|everything)( .*with each other)?`,
		`(give me |write |what is )?(an? |the )?(overview|summary) of (` + these + ` )?` + texts,
		`how do ` + these + `( ` + texts + `)? (differ|compare)`,
		`what (do|does) ` + these + `( ` + texts + `)? have in common`,
	} {
		all = append(all, regexp.MustCompile(`^`+form+`$`))
	}
	return all
}()

// aboutTheWhole reports whether a question asks about all that is searched rather
// than for something in it.
func aboutTheWhole(question string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("?!.,;:'’\"“”", r) {
			return ' '
		}
		return r
	}, strings.ToLower(question))
	plain = oneLine(plain)
	return slices.ContainsFunc(whole, func(r *regexp.Regexp) bool { return r.MatchString(plain) })
}

// route reads the library as a whole. Its passages count as relevant: they stand for
// what was asked about. Where there is nothing to read so, the question is searched
// for like any other.
func (n *nodes) route(ctx *stategraph.Context, s State) (state.Update[State], error) {
	survey, err := n.Surveyor.Survey(ctx, s.Workspace, s.UserContext.Within)
	if domain.KindOf(err) == domain.Unavailable && ctx.Err() == nil {
		ctx.Emit(domain.EventNote, domain.Note{Text: "searched instead: " + domain.InWords(err)})
		return state.Update[State]{}, nil
	}
	if err != nil || len(survey.Parts) == 0 {
		return state.Update[State]{}, err
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, survey.passages())
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: survey.Why})
	documents, sources := make([]Document, 0, len(passages)), make([]Source, 0, len(passages))
	for _, p := range passages {
		documents = append(documents, Document{
			Chunk: p.ID, Document: p.Document, Page: p.Page, Place: p.Place(p.Span),
			Appearances: []Appearance{{Verdict: domain.Relevant, Reason: "stands for what was asked about as a whole"}},
		})
		sources = append(sources, Source{p.Document, p.Name})
	}
	return state.Merge(n.survey.Set(&survey), n.documents.Put(documents...), n.sources.Put(sources...)), nil
}

// way decides how to go on after route.
func (n *nodes) way(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.Survey == nil {
		return stategraph.Choose[State](casePart), nil
	}
	return stategraph.Choose[State](caseSurveyed), nil
}
