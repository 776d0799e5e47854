// Package themes describes the contents of a library: it reads the communities of the graph and whole
// documents by the sentences that represent them. Nothing of this is stored, so it is as current as
// the graph; a model's text about a community is found among its recorded answers as long as the
// community stays the same.
package themes

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

// Limits on what is read.
const (
	maxWhole     = 12  // passages that are read one by one
	maxDocuments = 6   // documents that are read one by one
	maxParts     = 6   // communities in an answer
	maxRead      = 8   // passages read per community, and per entity
	maxOfText    = 40  // passages read per document, from its beginning
	maxLines     = 2   // sentences per part
	maxNames     = 3   // names that represent a community
	maxNamed     = 200 // documents checked for being named by words
)

// Texts reads passages.
type Texts interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
	Chunks(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error)
	DocumentsByID(ctx context.Context, w domain.WorkspaceID, ids []domain.DocumentID) ([]domain.Document, error)
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
}

// Params configures a Service. Without a Model, only Graph, Graphs, Texts and
// Summariser are needed.
type Params struct {
	Graph      graphstore.Reader
	Graphs     *explore.Library
	Texts      Texts
	Summariser summarize.Summariser // chooses sentences and returns the place of each

	Model   summarize.Summariser // sums up themes from these sentences; may be nil
	Prompts *prompts.Book
	Threads stategraph.Checkpointer
	Codec   state.Codec

	run.Background // orders that changed themes are summed up; New sets Kind and Settle
}

// A Service finds out what a library is about.
type Service struct {
	Params
	graph stategraph.Runnable[State]
}

var _ answer.Surveyor = (*Service)(nil)

// New returns a Service.
func New(p Params) (*Service, error) {
	p.Kind, p.Settle = Kind, settle
	s := &Service{Params: p}
	var err error
	s.graph, err = sumUpGraph(s)
	return s, err
}

// graphs reads parts of graphs.
func (s *Service) graphs() explore.Reader { return explore.Reader{Graph: s.Graph, Library: s.Graphs} }

// A Theme is a community of the graph with the sentences that represent it.
type Theme struct {
	Lead      domain.EntityID
	Names     []string // of its heaviest entities mentioned in the passages
	Members   int
	Documents int
	Sentences []Sentence
	Summed    bool // the sentences are a model's, each placed at its source sentence
}

// A Sentence represents a theme, a document or an entity.
type Sentence struct {
	Text    string
	Passage domain.Passage
	Span    domain.Span // in the document's text
}

// Quote returns the sentence as a quote of its passage.
func (s Sentence) Quote() explore.Quote {
	q := explore.QuoteOf(s.Passage, s.Span)
	q.Text = s.Text
	return q
}

// Themes lists at most most themes of documents, the ones that most passages mention
// first; no documents mean all.
func (s *Service) Themes(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, most int) ([]Theme, error) {
	pin, err := s.pin(ctx, w)
	if err != nil {
		return nil, err
	}
	return s.themes(ctx, w, documents, most, func(c explore.Community, passages []domain.Passage) ([]Sentence, error) {
		return s.summed(ctx, w, c, passages, pin)
	})
}

// Most is how many themes of a library pages list.
const Most = 24

// Theme returns the theme of the library that has a name, or that an entity leads. The error is NotFound if none of the first Most does.
func (s *Service) Theme(ctx context.Context, w domain.WorkspaceID, name string) (Theme, error) {
	list, err := s.themes(ctx, w, nil, Most, verbatim)
	if err != nil {
		return Theme{}, err
	}
	of := slices.IndexFunc(list, func(t Theme) bool {
		return string(t.Lead) == name || slices.ContainsFunc(t.Names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
	})
	if of < 0 {
		return Theme{}, domain.Errorf(domain.NotFound, "No theme of the library is called %q. clew themes lists them.", domain.Cut(name, 100))
	}
	return list[of], nil
}

// verbatim has nothing summed up.
func verbatim(explore.Community, []domain.Passage) ([]Sentence, error) { return nil, nil }

// themes lists themes in the words of their summaries, or else of their documents.
func (s *Service) themes(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, most int, summary func(explore.Community, []domain.Passage) ([]Sentence, error)) ([]Theme, error) {
	all, err := s.graphs().Communities(domain.WithWorkspace(ctx, w), documents, most, maxRead)
	if err != nil {
		return nil, err
	}
	var themes []Theme
	told := map[string]bool{} // by an earlier theme
	for _, c := range all {
		passages, err := s.Texts.Passages(ctx, w, c.Passages)
		if err != nil {
			return nil, err
		}
		said, err := summary(c, passages)
		summed := len(said) > 0
		if err == nil && !summed {
			said, err = s.standFor(ctx, passages, told, c.Names...)
		}
		if err != nil {
			return nil, err
		}
		for _, sentence := range said {
			told[sentence.Text] = true
		}
		if len(said) > 0 {
			themes = append(themes, Theme{Lead: c.Lead, Names: mentioned(c.Names, said), Members: c.Members, Documents: c.Documents, Sentences: said, Summed: summed})
		}
	}
	return themes, nil
}

// mentioned returns the first names that the passages of sentences mention, so that a
// theme disappears with the documents that it is read from.
func mentioned(names []string, said []Sentence) []string {
	var out []string
	for _, name := range names {
		if len(out) < maxNames && slices.ContainsFunc(said, func(s Sentence) bool { return strings.Contains(s.Passage.Text, name) }) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		out = append(out, said[0].Passage.Name)
	}
	return out
}

// Entity returns the sentences that represent an entity.
func (s *Service) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) ([]Sentence, error) {
	e, err := s.Graph.Entity(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	passages, err := s.mentioning(ctx, w, id, maxRead)
	if err != nil {
		return nil, err
	}
	return s.standFor(ctx, passages, nil, e.Name)
}

// mentioning returns the first passages that mention an entity.
func (s *Service) mentioning(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, most int) ([]domain.Passage, error) {
	links, err := s.Graph.Links(ctx, w, id, most)
	if err != nil {
		return nil, err
	}
	return s.Texts.Passages(ctx, w, lists.Map(links, func(l graphstore.Link) domain.ChunkID { return l.Chunk }))
}

// standFor returns the sentences that best represent passages: only those with one of the names, if any are given, and
// without those already shown.
func (s *Service) standFor(ctx context.Context, passages []domain.Passage, told map[string]bool, names ...string) ([]Sentence, error) {
	request, err := s.choices(ctx, passages, told, names)
	if err != nil {
		return nil, err
	}
	lines, err := s.Summariser.Reduce(ctx, request, ignore)
	if err != nil {
		return nil, fmt.Errorf("choose sentences: %w", err)
	}
	var said []Sentence
	for _, l := range lines[:min(len(lines), maxLines)] {
		said = append(said, Sentence{l.Text, passages[l.Parts[0]-1], *l.Span})
	}
	return said, nil
}

// choices returns the sentences of each passage from which to choose, in the order of
// passages; a sentence's part is the number of its passage.
func (s *Service) choices(ctx context.Context, passages []domain.Passage, told map[string]bool, names []string) (summarize.ReduceRequest, error) {
	request := summarize.ReduceRequest{Options: summarize.Options{Length: summarize.Short, Focus: strings.Join(names, " ")}, Final: true}
	for i, p := range passages {
		lines, err := s.Summariser.Map(ctx, summarize.MapRequest{
			Options: request.Options, Part: summarize.Part{N: i + 1, Document: p.Document, Span: p.Span}, Text: p.Text,
		}, ignore)
		if err != nil {
			return request, fmt.Errorf("choose sentences: %w", err)
		}
		lines = slices.DeleteFunc(lines, func(l summarize.Sentence) bool {
			return l.Span == nil || told[l.Text] || len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(l.Text, n) })
		})
		request.Summaries = append(request.Summaries, summarize.Summary{Sentences: lines})
	}
	return request, nil
}

// Survey implements answer.Surveyor: a small scope is read whole, a few documents
// one by one, and more by the communities of the graph.
func (s *Service) Survey(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (answer.Survey, error) {
	chunks, err := s.Graph.Chunks(ctx, w, graphstore.ChunkQuery{Documents: documents})
	if err != nil {
		return answer.Survey{}, err
	}
	ids := lists.Map(chunks, func(c graphstore.AdjacentChunk) domain.DocumentID { return c.Document })
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) <= maxDocuments {
		return s.oneByOne(ctx, w, ids, len(chunks) <= maxWhole)
	}
	themes, err := s.themes(ctx, w, documents, maxParts, verbatim)
	if err != nil {
		return answer.Survey{}, err
	}
	if len(themes) == 0 {
		some := make([]domain.DocumentID, maxDocuments)
		for i := range some { // spread over all
			some[i] = ids[i*len(ids)/maxDocuments]
		}
		survey, err := s.oneByOne(ctx, w, some, false)
		survey.Why = fmt.Sprintf("%d of %d documents, for the graph has no communities", maxDocuments, len(ids))
		return survey, err
	}
	survey := answer.Survey{Way: answer.ByCommunities, Why: domain.Counted(len(themes), "community", "communities") + " of " + domain.Counted(len(ids), "document", "documents")}
	for _, t := range themes {
		survey.Parts = append(survey.Parts, answer.Part{Names: t.Names, Lines: lines(t.Sentences)})
	}
	return survey, nil
}

// oneByOne reads each document separately; whole adds all of their passages.
func (s *Service) oneByOne(ctx context.Context, w domain.WorkspaceID, ids []domain.DocumentID, whole bool) (answer.Survey, error) {
	survey := answer.Survey{Way: answer.ByDocuments, Why: domain.Counted(len(ids), "document", "documents") + ", one by one"}
	known, err := s.Texts.DocumentsByID(ctx, w, ids)
	if err != nil {
		return survey, err
	}
	for _, id := range ids {
		at := slices.IndexFunc(known, func(d domain.Document) bool { return d.ID == id })
		if at < 0 {
			continue
		}
		chunks, err := s.Texts.Chunks(ctx, w, id)
		if err != nil {
			return survey, err
		}
		var passages []domain.Passage
		for _, c := range chunks[:min(len(chunks), maxOfText)] {
			passages = append(passages, domain.Passage{Chunk: c, Name: known[at].Name, Title: known[at].Title})
			if whole {
				survey.Rest = append(survey.Rest, c.ID)
			}
		}
		said, err := s.standFor(ctx, passages, nil)
		if err != nil {
			return survey, err
		}
		if len(said) > 0 {
			survey.Parts = append(survey.Parts, answer.Part{Names: []string{known[at].Name}, Lines: lines(said)})
		}
	}
	if whole {
		survey.Way, survey.Why = answer.ByPassages, "all "+domain.Counted(len(survey.Rest), "passage", "passages")+" of "+domain.Counted(len(ids), "document", "documents")
	}
	return survey, nil
}

func lines(said []Sentence) []answer.Line {
	return lists.Map(said, func(s Sentence) answer.Line { return answer.Line{Chunk: s.Passage.ID, Span: s.Span} })
}

// labels are those of the entities that a list is of, by what it is of.
var labels = map[string]map[string]bool{
	intent.Person:       prose.KeySet("person people human individual character"),
	intent.Place:        prose.KeySet("place location city town village country region site address"),
	intent.Organisation: prose.KeySet("organisation organization company institution firm agency association authority"),
}

// fitting returns a function that reports whether a list includes entities with a label.
func fitting(of string) func(label string) bool {
	if of == intent.Any {
		return func(string) bool { return true }
	}
	if known := labels[of]; known != nil {
		return func(label string) bool { return known[prose.Key(label)] }
	}
	nouns := prose.Terms(of)
	return func(label string) bool {
		return label != domain.UnknownLabel && slices.ContainsFunc(prose.Terms(label), func(t string) bool { return slices.Contains(nouns, t) })
	}
}

// Entities implements answer.Surveyor.
func (s *Service) Entities(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, of string, most int) (answer.Survey, error) {
	found, err := s.graphs().Mentioned(domain.WithWorkspace(ctx, w), documents, fitting(of), 2*most, maxRead) // some may have nothing to quote
	if err != nil {
		return answer.Survey{}, err
	}
	survey := answer.Survey{Way: answer.ByEntities}
	told := map[string]bool{}
	for _, e := range found {
		if len(survey.Parts) == most {
			break
		}
		passages, err := s.Texts.Passages(ctx, w, e.Passages)
		if err != nil {
			return survey, err
		}
		said, err := s.standFor(ctx, passages, told, e.Name)
		if err == nil && len(said) == 0 {
			said, err = s.standFor(ctx, passages, nil, e.Name)
		}
		if err != nil {
			return survey, err
		}
		if len(said) > 0 {
			told[said[0].Text] = true
			survey.Parts = append(survey.Parts, answer.Part{Names: []string{e.Name}, Lines: lines(said[:1])})
		}
	}
	survey.Why = domain.Counted(len(survey.Parts), "entity", "entities") + " of the graph, most mentioned first"
	return survey, nil
}

// Named implements answer.Surveyor.
func (s *Service) Named(ctx context.Context, w domain.WorkspaceID, words string, documents []domain.DocumentID, most int) ([]domain.Document, error) {
	q := ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady}, IDs: documents, Limit: most}
	terms := slices.DeleteFunc(prose.Terms(words), prose.IsSmallWord)
	if words == "" {
		found, _, err := s.Texts.Documents(ctx, w, q)
		return found, err
	}
	q.Text = written(words)
	if q.Text == "" {
		return nil, nil
	}
	q.Limit = maxNamed
	found, _, err := s.Texts.Documents(ctx, w, q)
	if err != nil {
		return nil, err
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(d domain.Document) bool { return !calledSo(d, words) }); len(exact) > 0 {
		return exact[:min(len(exact), most)], nil
	}
	found = slices.DeleteFunc(found, func(d domain.Document) bool {
		has := titled(d)
		return slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) })
	})
	return found[:min(len(found), most)], nil
}

// written returns the longest beginning of one of the words that shares its stem.
func written(words string) (longest string) {
	for _, w := range prose.Words(words) {
		for _, stem := range prose.Terms(w.Text) {
			plain, n := strings.ToLower(w.Text), 0
			for n < len(plain) && n < len(stem) && plain[n] == stem[n] {
				n++
			}
			if begins := strings.ToValidUTF8(plain[:n], ""); len(begins) > len(longest) && !prose.IsSmallWord(stem) {
				longest = begins
			}
		}
	}
	return longest
}

// calledSo reports whether words are the name of a document, with or without its folder and its ending, or its title.
func calledSo(d domain.Document, words string) bool {
	file := path.Base(d.Name)
	return slices.ContainsFunc([]string{d.Name, file, strings.TrimSuffix(file, path.Ext(file)), d.Title}, func(name string) bool {
		return name != "" && strings.EqualFold(name, words)
	})
}

// titled returns the terms of a document's name and title. Words of the name may be joined by punctuation.
func titled(d domain.Document) []string {
	name := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ' '
		}
		return r
	}, strings.TrimSuffix(d.Name, path.Ext(d.Name))+" "+strings.TrimPrefix(path.Ext(d.Name), "."))
	return prose.Terms(name + " " + d.Title + " " + d.Name)
}
