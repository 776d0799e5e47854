package answer

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

// A Surveyor reads a library as a whole, for questions that no single passage
// answers.
type Surveyor interface {
	// Survey describes the contents of documents in parts; nil means all documents. It has no parts if nothing
	// suitable for this was found.
	Survey(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (Survey, error)
	// Entities returns the entities that most passages of documents mention, each as a part with a
	// sentence that mentions it. Their kind is given as in intent.Ask.
	Entities(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, of string, most int) (Survey, error)
	// Count counts the entities that ask selects. The survey has a part for each entity, with the
	// sentence that supports it, and no parts if ask can't be counted.
	Count(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, ask intent.Ask) (Survey, error)
	// Named returns those of documents that have been read and have the name, or, if there are none,
	// those with all words in their name or title; without words it returns all.
	Named(ctx context.Context, w domain.WorkspaceID, words string, documents []domain.DocumentID, most int) ([]domain.Document, error)
}

// The ways to read a library as a whole.
const (
	ByPassages    = "passages"    // all of them, if the scope is small
	ByDocuments   = "documents"   // the sentences that represent each document
	ByCommunities = "communities" // the sentences that represent each community of the graph
	ByEntities    = "entities"    // a sentence for each entity of a kind
	BySides       = "sides"       // the sentences about each side of a comparison
	ByCount       = "count"       // a sentence for each entity that is counted
)

// A Survey holds the material for a question about the whole library.
type Survey struct {
	Way   string           `json:"way"`
	Why   string           `json:"why"` // in words
	Parts []Part           `json:"parts"`
	Rest  []domain.ChunkID `json:"rest,omitempty"` // further passages to read

	Count *Count `json:"count,omitempty"` // if ByCount
}

// Count is a count of entities, those of a survey's parts and more.
type Count struct {
	Number  int      `json:"number"`
	Of      string   `json:"of"`                // the noun in the question
	By      string   `json:"by,omitempty"`      // the entity that a relation leads to; "" if all are counted
	How     string   `json:"how,omitempty"`     // the relation
	Unshown int      `json:"unshown,omitempty"` // how many of Number have no part
	Unsure  []string `json:"unsure,omitempty"`  // names that may be of the kind, not counted
	Stated  []Line   `json:"stated,omitempty"`  // sentences that state a number themselves
}

// Part is a community, a document, an entity or a side.
type Part struct {
	Names []string `json:"names"` // of entities that its passages mention, of the document, the entity or the side
	Lines []Line   `json:"lines"`
}

// Line is a sentence that represents a part.
type Line struct {
	Chunk domain.ChunkID `json:"chunk"`
	Span  domain.Span    `json:"span"` // in the document's text
}

// passages lists the passages of a survey, each once.
func (s Survey) passages() []domain.ChunkID {
	var ids []domain.ChunkID
	add := func(id domain.ChunkID) {
		ids = lists.AppendOnce(ids, id)
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

// intent classifies the question. Questions restricted to one search method are ordinary. What no form decides is left to
// a model, if there is one.
func (n *nodes) intent(ctx context.Context, s State) (intent.Ask, error) {
	switch {
	case n.Surveyor == nil || s.Method != domain.MethodDefault || s.ContextOnly:
		return intent.Ask{Kind: intent.Question}, nil
	case s.Asks != nil:
		return *s.Asks, nil
	case n.understands(s):
		return intent.ByForm(s.Question), nil
	}
	return n.Intents.Read(ctx, s.Question)
}

// understands reports whether a model classifies the question.
func (n *nodes) understands(s State) bool {
	return n.Roles.Model != nil && n.Surveyor != nil && s.Method == domain.MethodDefault && !s.ContextOnly
}

// open reports whether a question without a history is worth a classification call.
func (n *nodes) open(ctx context.Context, s State) (bool, error) {
	if !n.understands(s) {
		return false, nil
	}
	return n.Intents.Open(ctx, s.Question)
}

// The limits of what is read for one question.
const (
	mostListed    = 8   // entities
	mostNamed     = 40  // documents that words name, or that are summed up together
	mostSummed    = 60  // parts of all documents that are summed up together
	mostSummedOne = 400 // parts of documents named in a question
	mostCompared  = 3   // documents on a side
	mostOfSide    = 3   // sentences on a side
	charsAPart    = 1500
)

// route finds what to read for a question about the whole, or what to summarise. Its passages count as relevant, as they
// represent the subject. If there is nothing to read, the question is searched for like any other.
func (n *nodes) route(ctx *stategraph.Context, s State) (state.Update[State], error) {
	ask, err := n.intent(ctx, s)
	if err != nil {
		return state.Update[State]{}, err
	}
	within := s.UserContext.Within
	if ask.Kind == intent.Summarise {
		documents, named, err := n.toSum(ctx, s, ask)
		switch {
		case err != nil:
			return n.instead(ctx, err)
		case len(documents) == 0 && fileName(ask.Objects):
			return n.which.Set([]string{fmt.Sprintf(InLanguageOf(s.Question, saysNoneNamed), ask.Objects[0])}), nil
		case len(documents) == 0:
			return state.Update[State]{}, nil
		case n.ambiguous(s, ask, documents):
			return n.which.Set(offered(s, documents)), nil
		case sums(documents, named):
			ctx.Emit(domain.EventNote, domain.Note{Text: "to sum up: " + domain.Counted(len(documents), "document", "documents")})
			return n.summing.Set(idsOf(documents)), nil
		case named:
			within = idsOf(documents)
		}
	}
	survey, err := n.surveyed(ctx, s, ask, within)
	if err != nil {
		return n.instead(ctx, err)
	}
	if len(survey.Parts) == 0 {
		return state.Update[State]{}, nil
	}
	return n.readSurvey(ctx, s, survey)
}

// instead falls back to a search if a store is away.
func (n *nodes) instead(ctx *stategraph.Context, err error) (state.Update[State], error) {
	if domain.KindOf(err) != domain.Unavailable || ctx.Err() != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: "searched instead: " + domain.InWords(err)})
	return state.Update[State]{}, nil
}

// readSurvey returns the update with a survey and its passages.
func (n *nodes) readSurvey(ctx *stategraph.Context, s State, survey Survey) (state.Update[State], error) {
	passages, err := n.Passages.Passages(ctx, s.Workspace, survey.passages())
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: survey.Why})
	documents, sources := make([]Document, 0, len(passages)), make([]Source, 0, len(passages))
	for _, p := range passages {
		documents = append(documents, Document{
			Chunk: p.ID, Document: p.Document, Page: p.Page, Place: p.Place(p.Span),
			Appearances: []Appearance{{Verdict: domain.Relevant, Reason: "stands for the subject as a whole"}},
		})
		sources = append(sources, Source{p.Document, p.Name})
	}
	return state.Merge(n.survey.Set(&survey), n.documents.Put(documents...), n.sources.Put(sources...)), nil
}

// toSum returns the documents to summarise: those that the question names, one or several, or all in its scope. It
// returns none if the question names something else.
func (n *nodes) toSum(ctx context.Context, s State, ask intent.Ask) (documents []domain.Document, named bool, err error) {
	words := strings.Join(ask.Objects, " ")
	documents, err = n.Surveyor.Named(ctx, s.Workspace, words, s.UserContext.Within, mostNamed+1)
	if err != nil || len(documents) > 0 || words == "" {
		return documents, words != "", err
	}
	for _, part := range intent.Parts(words) {
		found, err := n.Surveyor.Named(ctx, s.Workspace, part, s.UserContext.Within, mostNamed+1)
		if err != nil || len(found) == 0 {
			return nil, true, err
		}
		for _, d := range found {
			if !slices.ContainsFunc(documents, func(o domain.Document) bool { return o.ID == d.ID }) {
				documents = append(documents, d)
			}
		}
	}
	return documents, true, nil
}

// fileName reports whether what is to be summed up is called as a file is.
func fileName(objects []string) bool {
	return len(objects) == 1 && path.Ext(objects[0]) != "" && parse.MayRead(objects[0])
}

// ambiguous reports whether a question asks for the summary of one document and names several.
func (n *nodes) ambiguous(s State, ask intent.Ask, documents []domain.Document) bool {
	return len(documents) > 1 && len(ask.Objects) == 1 && (fileName(ask.Objects) || intent.One(s.Question, ask.Objects[0])) &&
		len(intent.Parts(ask.Objects[0])) < 2
}

// mostOffered is how many documents are offered to choose from.
const mostOffered = 5

// offered asks which of several documents is meant, by the questions that name one.
func offered(s State, documents []domain.Document) []string {
	says := []string{InLanguageOf(s.Question, saysWhich)}
	for _, d := range documents[:min(len(documents), mostOffered)] {
		says = append(says, fmt.Sprintf(InLanguageOf(s.Question, saysSumUp), d.Name))
	}
	if len(documents) > mostOffered {
		says = append(says, InLanguageOf(s.Question, saysMoreNamed))
	}
	return says
}

// askBack answers with the sentences that ask which document is meant.
func (n *nodes) askBack(ctx *stategraph.Context, s State) (state.Update[State], error) {
	c := resumeComposer(Text{}, ctx.Emit)
	for _, sentence := range s.Which {
		c.Remark(sentence)
	}
	return n.remarked(ctx, c), nil
}

// remarked returns the update with an answer that consists of remarks.
func (n *nodes) remarked(ctx *stategraph.Context, c *composer) state.Update[State] {
	sentences := c.sentences()
	ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(sentences)})
	for i := range sentences {
		sentences[i].Supported = true
	}
	return state.Merge(n.generation.Set(c.answer()), n.sentences.Set(sentences), n.citations.Set(c.citations))
}

// sums reports whether documents are few enough to be summed up for one question.
func sums(documents []domain.Document, named bool) bool {
	most := mostSummed
	if named {
		most = mostSummedOne
	}
	parts := lists.Sum(documents, func(d domain.Document) int { return 1 + d.Chars/charsAPart })
	return len(documents) <= mostNamed && parts <= most
}

func idsOf(documents []domain.Document) []domain.DocumentID {
	return lists.Map(documents, func(d domain.Document) domain.DocumentID { return d.ID })
}

// surveyed reads what a question asks for.
func (n *nodes) surveyed(ctx context.Context, s State, ask intent.Ask, within []domain.DocumentID) (Survey, error) {
	switch ask.Kind {
	case intent.List:
		if ask.Where != "" {
			documents, err := n.Surveyor.Named(ctx, s.Workspace, ask.Where, within, mostNamed)
			if err != nil || len(documents) == 0 {
				return Survey{}, err
			}
			within = idsOf(documents)
		}
		return n.Surveyor.Entities(ctx, s.Workspace, within, ask.Of, mostListed)
	case intent.Compare:
		return n.sides(ctx, s, ask.Objects)
	case intent.Count:
		if ask.Where != "" {
			documents, err := n.Surveyor.Named(ctx, s.Workspace, ask.Where, within, mostNamed)
			if err != nil || len(documents) == 0 {
				return Survey{}, err
			}
			within = idsOf(documents)
		}
		return n.Surveyor.Count(ctx, s.Workspace, within, ask)
	}
	return n.Surveyor.Survey(ctx, s.Workspace, within)
}

// sides reads both sides of a comparison. It returns no survey unless each side has something.
func (n *nodes) sides(ctx context.Context, s State, objects []string) (Survey, error) {
	survey := Survey{Way: BySides, Why: "two sides, each on its own"}
	for _, object := range objects {
		lines, err := n.side(ctx, s, object)
		if err != nil || len(lines) == 0 {
			return Survey{}, err
		}
		survey.Parts = append(survey.Parts, Part{Names: []string{object}, Lines: lines})
	}
	return survey, nil
}

// side returns the sentences that stand for the documents that a side names, or those
// that are found for it.
func (n *nodes) side(ctx context.Context, s State, object string) ([]Line, error) {
	documents, err := n.Surveyor.Named(ctx, s.Workspace, object, s.UserContext.Within, mostCompared+1)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 || len(documents) > mostCompared {
		return n.found(ctx, s, object)
	}
	survey, err := n.Surveyor.Survey(ctx, s.Workspace, idsOf(documents))
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, p := range survey.Parts {
		lines = append(lines, p.Lines...)
	}
	return lines[:min(len(lines), mostOfSide)], nil
}

// found searches for a side and returns the sentences that name it best, each from a different passage.
func (n *nodes) found(ctx context.Context, s State, object string) ([]Line, error) {
	found, err := n.Retriever.Retrieve(ctx, s.Workspace, retrieve.Query{Text: object, Limit: n.limit(s), Documents: s.UserContext.Within, AsOf: s.UserContext.asOf()})
	if err != nil {
		return nil, err
	}
	ids := lists.Map(found.Passages, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk })
	passages, err := n.Passages.Passages(ctx, s.Workspace, ids)
	if err != nil {
		return nil, err
	}
	terms, most := prose.Terms(object), 1
	var lines []Line
	for _, p := range passages {
		span, shared := saying(terms, p)
		if shared > most {
			lines, most = nil, shared
		}
		if shared == most && len(lines) < mostOfSide {
			lines = append(lines, Line{p.ID, span})
		}
	}
	return lines, nil
}

// saying returns the sentence of a passage that has most of the terms, and how many. It
// has more words than these.
func saying(terms []string, p domain.Passage) (best domain.Span, most int) {
	for _, span := range prose.Sentences(p.Text) {
		has := prose.Terms(span.Slice(p.Text))
		shared := lists.CountFunc(terms, func(t string) bool { return slices.Contains(has, t) })
		if shared > most && len(has) > len(terms) {
			best, most = span.Shift(p.Span.Start), shared
		}
	}
	return best, most
}

// way decides which node follows route.
func (n *nodes) way(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case len(s.Which) > 0:
		return stategraph.Choose[State](caseWhich), nil
	case len(s.Summing) > 0:
		return stategraph.Choose[State](caseSums), nil
	case s.Survey != nil:
		return stategraph.Choose[State](caseSurveyed), nil
	case len(s.UserContext.History) > 0 && s.Asks == nil: // if not, it comes from there
		return stategraph.Choose[State](caseHistory), nil
	}
	return stategraph.Choose[State](casePart), nil
}

// startSumming returns the first state of the graph that sums up.
func (n *nodes) startSumming(s State) summarize.State {
	return summarize.Start(summarize.Begin{
		Workspace: s.Workspace, Documents: s.Summing, Length: intent.Length(s.Question), MaxCollapses: summarize.DefaultMaxCollapses(mostSummedOne),
		Run: s.Run, Salt: s.Salt, Prompts: s.Prompts, Review: s.Review,
	})
}

// summed returns the update with a summary as the answer. What warns of it follows.
func (n *nodes) summed(s State, sum summarize.State) state.Update[State] {
	c := resumeComposer(Text{Citations: sum.Citations}, nil)
	for i, sentence := range sum.Sentences {
		switch {
		case i == 0:
		case sentence.Paragraph > sum.Sentences[i-1].Paragraph:
			c.paragraph()
		default:
			c.Write(" ")
		}
		c.Write(sentence.Text)
		for _, cited := range sentence.Citations {
			c.mark(Mark{c.runes, cited})
		}
	}
	sentences := slices.Clone(sum.Sentences)
	warnings := sum.Warnings
	if len(sentences) == 0 && len(warnings) == 0 {
		warnings = []string{InLanguageOf(s.Question, SaysNothing)}
	}
	for _, warning := range warnings {
		sentences = append(sentences, domain.Sentence{Text: warning, Citations: []int{}, Supported: true, Paragraph: c.paragraphs(), Remark: true})
		c.Remark(warning)
	}
	return state.Merge(n.generation.Set(c.answer()), n.sentences.Set(sentences), n.citations.Set(c.citations), n.answered.Set(len(sum.Sentences) > 0))
}

// The sentences that return a greeting or thanks.
const (
	saysHello    = "Hello! Ask what you want to know from the documents, or for a summary, a list, a comparison or a chart."
	saysWelcome  = "You are welcome! Ask another question, or for a summary, a list, a comparison or a chart."
	saysAddFirst = "Hello! Add documents, and ask about them once they are read."
	saysAbout    = "What do the documents say about %s?"
	saysTopics   = "What topics do the documents cover?"
)

// The sentences about documents to sum up that are missing, or several.
const (
	saysNoneNamed = "No document that has been read is called “%s”. The page Documents and clew documents list have the names."
	saysWhich     = "Several documents are called so. Ask for one of them:"
	saysSumUp     = "Summarise %s"
	saysMoreNamed = "There are more: the page Documents and clew documents list have their names."
)

// mostNames is how many entities a greeting suggests to ask about.
const mostNames = 2

// greet answers a greeting or thanks by suggesting what to ask, without a search.
func (n *nodes) greet(ctx *stategraph.Context, s State) (state.Update[State], error) {
	ask, err := n.intent(ctx, s)
	if err != nil {
		return state.Update[State]{}, err
	}
	stats, err := n.Library.Stats(ctx, s.Workspace)
	if err != nil && domain.KindOf(err) != domain.Unavailable {
		return state.Update[State]{}, err
	}
	l := languageNamed(ask.Language)
	says := saysHello
	switch {
	case err == nil && stats.Chunks == 0:
		says = saysAddFirst
	case ask.Kind == intent.Thanks:
		says = saysWelcome
	}
	c := resumeComposer(Text{}, ctx.Emit)
	c.Remark(l.says(says))
	if says != saysAddFirst {
		survey, err := n.Surveyor.Entities(ctx, s.Workspace, s.UserContext.Within, intent.Any, mostNames)
		if err != nil && domain.KindOf(err) != domain.Unavailable {
			return state.Update[State]{}, err
		}
		for _, p := range survey.Parts {
			c.Remark(fmt.Sprintf(l.says(saysAbout), p.Names[0]))
		}
		c.Remark(l.says(saysTopics))
	}
	return n.remarked(ctx, c), nil
}
