package themes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/views/link"
)

// Limits on what is counted and shown.
const (
	maxCounted  = 2_000 // entities and relations examined
	maxCitedOf  = 20    // counted entities whose sentences are shown in an answer
	maxNameSize = 6     // words of a name
	maxSaying   = 40    // passages about an entity in which a number may be stated
	farFromNoun = 3     // words between a number and the noun counted
)

// A Tally is a count of entities, each with the sentence that it is counted by.
type Tally struct {
	Count   int       `json:"count"`
	Of      string    `json:"of"`
	By      string    `json:"by,omitempty"`       // the entity that the relation leads to; "" if all are counted
	ByID    string    `json:"by_id,omitempty"`    // its id
	How     string    `json:"relation,omitempty"` // types of the relation, in words
	Items   []Counted `json:"items"`
	Unsure  []string  `json:"not_counted"` // other names that the relation leads to, not known to be of the kind
	Stated  []Said    `json:"stated"`      // sentences that state a number themselves
	Doubts  []Said    `json:"doubts"`      // sentences that contradict the count
	sources []domain.Passage
}

// Counted is an entity that was counted. It has no sentence if a person added it.
type Counted struct {
	ID    domain.EntityID `json:"id"`
	Label string          `json:"label"`
	Name  string          `json:"name"`
	Said
	Address string `json:"address,omitempty"` // of the sentence in the pages

	chunk domain.ChunkID
}

type counting struct {
	Of       string   `json:"of" arg:"KIND" doc:"what to count: a noun such as bridges or people, or a label of the graph"`
	By       string   `json:"by" doc:"count only those that a relation leads to from this entity, or from them to it"`
	Relation string   `json:"relation" doc:"the verb or the type of that relation, such as designed; any by default"`
	Within   []string `json:"within" whole:"" doc:"count only in tag:NAME, doc:NAME (or its id) and the like, as clew ask takes it"`
}

func countOperation() operation.Operation[Desk] {
	return operation.Op[Desk, counting, Tally]{
		Name: "entities count", Short: "Count entities of a kind, each with its sentence", Scope: operation.Read, Routes: []string{"GET /counts"},
		Tool: operation.Tool{Name: "count", Title: "Count entities", Fields: "of by relation within",
			About: "Count the entities of a kind, all or those that a relation leads to from one (or from them to it): bridges by \"Henrike Aldous\", relation designed. Each has the sentence that states it."},
		Long: `Count the entities of a kind: those whose label or name says that they are of it. With
--by only those that a relation leads to from an entity, or from them to it, each with the
sentence that states it. What the relation leads to as well, but nothing says the kind of,
is listed apart. The question "How many bridges did Aldous design?" is answered by it.`,
		Example: `  clew entities count people
  clew entities count bridges --by "Henrike Aldous" --relation designed`,
		Do: Desk.count, Text: printTally,
	}
}

func (d Desk) count(ctx context.Context, in counting) (Tally, error) {
	w := domain.WorkspaceOf(ctx)
	documents, err := d.Scopes.DocumentsWithin(ctx, w, in.Within)
	if err != nil {
		return Tally{}, err
	}
	what := wantedCount{noun: in.Of, of: intent.Kinds(in.Of)}
	if in.By == "" {
		return d.countAll(ctx, w, documents, what)
	}
	found, err := d.called(ctx, w, []string{in.By})
	if err != nil {
		return Tally{}, err
	}
	if len(found) == 0 {
		return Tally{}, domain.Errorf(domain.NotFound, "No entity is called %q. clew entities list shows their names.", in.By)
	}
	if in.Relation != "" {
		if what.verb = lemmas(in.Relation); len(what.verb) == 0 {
			return Tally{}, domain.Errorf(domain.Invalid, "Name the relation by a verb, such as designed, or by its type.")
		}
	}
	return d.countBy(ctx, w, documents, what, found)
}

func printTally(w io.Writer, t Tally) error {
	fmt.Fprintf(w, "%d %s\n", t.Count, t.Of)
	for _, c := range t.Items {
		fmt.Fprintf(w, "  %s%s\n", c.Name, quoted(c.Said))
	}
	for _, s := range t.Stated {
		fmt.Fprintf(w, "a number is stated%s\n", quoted(s))
	}
	for _, said := range t.Doubts {
		fmt.Fprintf(w, "there may be more or fewer%s\n", quoted(said))
	}
	if len(t.Unsure) > 0 {
		fmt.Fprintf(w, "not counted, as nothing says their kind: %s\n", strings.Join(t.Unsure, ", "))
	}
	return nil
}

func quoted(s Said) string {
	if s.Text == "" {
		return ""
	}
	return ": “" + s.Text + "” (" + s.Document + domain.Where("", s.Page, s.Place) + ")"
}

// wantedCount describes what to count.
type wantedCount struct {
	noun, of string
	verb     []string // lemmas; empty means any relation
	doer     string
}

// is reports whether an entity is of the kind: by its label, or by the last word of its name.
func (c wantedCount) is(e domain.Entity) bool {
	if fitting(c.of)(e.Label) {
		return true
	}
	if labels[c.of] != nil || c.of == intent.Any {
		return false
	}
	head, _, _ := strings.Cut(strings.ToLower(e.Name), " of ")
	words, noun := prose.Terms(head), prose.Terms(c.noun)
	if first, _, more := strings.Cut(head, " "); more && kindsBefore[first] && slices.Equal(prose.Terms(first), noun) {
		return true
	}
	return len(noun) > 0 && len(words) >= len(noun) && slices.Equal(words[len(words)-len(noun):], noun)
}

// said reports whether a sentence states that a named thing is of the kind, for names whose label doesn't.
func (c wantedCount) said(sentence, name string) bool {
	return labels[c.of] == nil && c.of != intent.Any && saysKind(sentence, name, prose.Terms(c.noun))
}

// Count implements answer.Surveyor. It returns no survey if the count is in doubt.
func (s *Service) Count(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, ask intent.Ask) (answer.Survey, error) {
	what := wantedCount{noun: ask.Counting.Noun, of: ask.Of, doer: ask.Counting.Doer}
	var t Tally
	var err error
	if rest := strings.Join(ask.Objects, " "); rest == "" {
		t, err = s.countAll(ctx, w, documents, what)
	} else {
		var named []domain.Entity
		if named, what.verb, err = s.understood(ctx, w, rest); err == nil && len(named) > 0 && len(what.verb) == 1 {
			t, err = s.countBy(ctx, w, documents, what, named)
		}
	}
	if err != nil || t.Count == 0 || len(t.Doubts) > 0 {
		return answer.Survey{}, err
	}
	survey := answer.Survey{Way: answer.ByCount, Count: &answer.Count{Number: t.Count, Of: t.Of, By: t.By, How: t.How, Unsure: t.Unsure}}
	survey.Why = fmt.Sprintf("%d %s counted in the graph, each checked in the text", t.Count, t.Of)
	for _, said := range t.Stated {
		for _, p := range t.sources {
			if at := (domain.Span{Start: said.Start, End: said.End}); p.Document == said.DocumentID && p.Span.Start <= at.Start && at.End <= p.Span.End {
				survey.Count.Stated = append(survey.Count.Stated, answer.Line{Chunk: p.ID, Span: at})
				survey.Rest = append(survey.Rest, p.ID)
				break
			}
		}
	}
	for _, c := range t.Items {
		if c.chunk == "" || len(survey.Parts) == maxCitedOf {
			survey.Count.Unshown++
			continue
		}
		survey.Parts = append(survey.Parts, answer.Part{Names: []string{c.Name}, Lines: []answer.Line{{Chunk: c.chunk, Span: domain.Span{Start: c.Start, End: c.End}}}})
	}
	return survey, nil
}

// understood finds the entity that words name, and the lemmas of the others. There is none if several share the name, unless
// the words tell them apart.
func (s *Service) understood(ctx context.Context, w domain.WorkspaceID, words string) ([]domain.Entity, []string, error) {
	all := strings.Fields(words)
	var parts []string
	for size := min(len(all), maxNameSize); size > 0; size-- {
		for from := 0; from+size <= len(all); from++ {
			parts = append(parts, strings.Join(all[from:from+size], " "))
		}
	}
	found, err := s.called(ctx, w, parts)
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	name := ""
	for _, part := range parts { // longest first
		key := prose.Key(part)
		if slices.ContainsFunc(found, func(e domain.Entity) bool { return has(e, key) }) {
			name = part
			break
		}
	}
	if name == "" { // a part of one name
		for _, part := range all {
			if prose.IsCapitalised(part) && slices.Contains(strings.Fields(prose.Key(found[0].Name)), prose.Key(part)) {
				words = strings.ReplaceAll(words, part, " ")
			}
		}
	}
	if name != "" {
		found = slices.DeleteFunc(found, func(e domain.Entity) bool { return !has(e, prose.Key(name)) })
		words = strings.Replace(words, name, " ", 1)
	}
	return found, lemmas(words), nil
}

func has(e domain.Entity, key string) bool {
	return e.Key == key || slices.ContainsFunc(e.Aliases, func(a string) bool { return prose.Key(a) == key })
}

// called returns the entities with one of several names, or else the only one with a capitalised word of them in its name.
func (s *Service) called(ctx context.Context, w domain.WorkspaceID, names []string) ([]domain.Entity, error) {
	found, err := s.Graph.ByKey(ctx, w, lists.Map(names, prose.Key))
	if found = graphstore.Listed(found); err != nil || len(found) > 0 {
		return found, err
	}
	for _, n := range names {
		if !prose.IsCapitalised(n) || strings.Contains(n, " ") {
			continue
		}
		likely, _, err := s.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: n, Limit: 5})
		if err != nil {
			return nil, err
		}
		likely = slices.DeleteFunc(likely, func(e domain.Entity) bool { return !slices.Contains(strings.Fields(e.Key), prose.Key(n)) })
		if len(likely) == 1 {
			return likely, nil
		}
	}
	return nil, nil
}

// lemmas returns the base forms of the words in a text that say something, in small letters.
func lemmas(text string) []string {
	var out []string
	for word := range strings.FieldsSeq(strings.ToLower(strings.NewReplacer("_", " ", ",", " ", "?", " ").Replace(text))) {
		base := cmp.Or(baseOf[word], word)
		for _, term := range prose.Terms(base) {
			out = lists.AppendOnce(out, term)
		}
	}
	return out
}

// baseOf has the verbs whose past is not formed by an ending.
var baseOf = func() map[string]string {
	forms := map[string]string{}
	for line := range strings.SplitSeq("begin began begun,break broke broken,bring brought,build built,buy bought,choose chose chosen,come came,do did done,draw drew drawn,drive drove driven,"+
		"fight fought,fly flew flown,forge forged,give gave given,go went gone,grow grew grown,hold held,keep kept,lead led,leave left,lend lent,lose lost,make made,meet met,"+
		"pay paid,ride rode ridden,run ran,sell sold,send sent,sing sang sung,speak spoke spoken,spend spent,steal stole stolen,take took taken,teach taught,wear wore worn,win won,write wrote written", ",") {
		words := strings.Fields(line)
		for _, past := range words[1:] {
			forms[past] = words[0]
		}
	}
	return forms
}()

// countAll counts all entities of a kind, each by the first sentence that names it.
func (s *Service) countAll(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, what wantedCount) (Tally, error) {
	t := Tally{Of: what.noun, Items: []Counted{}, Unsure: []string{}, Stated: []Said{}, Doubts: []Said{}}
	all, _, err := s.Graph.Entities(ctx, w, graphstore.EntityQuery{Limit: maxCounted})
	if err != nil {
		return t, err
	}
	all = slices.DeleteFunc(all, func(e domain.Entity) bool { return !what.is(e) })
	first, err := s.graphs().FirstMentions(domain.WithWorkspace(ctx, w), all, documents)
	if err != nil {
		return t, err
	}
	within := map[domain.ChunkID]bool{}
	for _, e := range all {
		chunk := first[e.ID]
		if chunk == "" {
			continue
		}
		within[chunk] = true
		t.Items = append(t.Items, Counted{ID: e.ID, Label: e.Label, Name: e.Name, chunk: chunk})
	}
	t.Count = len(t.Items)
	passages, err := s.Texts.Passages(ctx, w, slices.Sorted(keysOf(within)))
	if err != nil {
		return t, err
	}
	for i, c := range t.Items {
		at := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == c.chunk })
		if at < 0 {
			continue
		}
		e := all[slices.IndexFunc(all, func(e domain.Entity) bool { return e.ID == c.ID })]
		t.Items[i].cite(ctx, explore.SentenceOf(passages[at], domain.Span{}, e))
	}
	t.sources = passages
	return t, nil
}

func keysOf(m map[domain.ChunkID]bool) func(func(domain.ChunkID) bool) {
	return func(yield func(domain.ChunkID) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// cite notes the sentence that something is counted by, if there is one.
func (c *Counted) cite(ctx context.Context, q explore.Quote) {
	if q.Chunk == "" {
		return
	}
	text := domain.OneLine(q.Text)
	at := domain.Span{Start: q.At.Start, End: q.At.Start + domain.Runes(q.Text)}
	c.chunk, c.Address = q.Chunk, link.At(ctx, link.Passage(q.Document, at))
	c.Said = Said{Text: text, Document: q.Name, DocumentID: q.Document, Page: q.Page, Place: q.Place, Start: at.Start, End: at.End}
}

// countBy counts the targets of relations of entities with one name. Each must be stated by a passage that still
// exists.
func (s *Service) countBy(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, what wantedCount, named []domain.Entity) (Tally, error) {
	t := Tally{Of: what.noun, Items: []Counted{}, Unsure: []string{}, Stated: []Said{}, Doubts: []Said{}}
	among := func(d domain.DocumentID) bool { return len(documents) == 0 || slices.Contains(documents, d) }
	for _, e := range named {
		edges, err := s.Graph.Relations(ctx, w, e.ID, maxCounted)
		if err != nil {
			return t, err
		}
		var types []string
		var unsure []domain.Entity
		for _, edge := range edges {
			other, leads := what.leads(edge, e.ID)
			known := slices.ContainsFunc(t.Items, func(c Counted) bool { return c.ID == other.ID })
			if !leads || known {
				continue
			}
			stated, err := s.stated(ctx, w, edge, among)
			if err != nil {
				return t, err
			}
			switch {
			case len(edge.Evidence) > 0 && stated.Chunk == "": // from other documents, or deleted in the meantime
			case what.is(other), what.said(stated.Text, other.Name):
				c := Counted{ID: other.ID, Label: other.Label, Name: other.Name}
				c.cite(ctx, stated)
				t.Items, t.By, t.ByID = append(t.Items, c), e.Name, string(e.ID)
				types = append(types, strings.ToLower(strings.ReplaceAll(edge.Type, "_", " ")))
			case labels[what.of] == nil && !slices.Contains(t.Unsure, other.Name):
				t.Unsure = append(t.Unsure, other.Name)
				unsure = append(unsure, other)
			}
		}
		if len(types) > 0 {
			slices.Sort(types)
			t.How = strings.Join(slices.Compact(types), ", ")
			t.settle()
			if err := s.numbers(ctx, w, &t, what, e, among); err != nil {
				return t, err
			}
			return t, s.doubt(ctx, w, &t, what, unsure, among)
		}
	}
	return t, nil
}

// settle counts the items and sorts them by their sentences.
func (t *Tally) settle() {
	t.Count = len(t.Items)
	slices.Sort(t.Unsure)
	slices.SortStableFunc(t.Items, func(a, b Counted) int {
		return cmp.Or(cmp.Compare(a.Document, b.Document), a.Start-b.Start, cmp.Compare(a.Name, b.Name))
	})
}

// leads returns the other end of a relation of an entity, and reports whether it is wanted.
func (c wantedCount) leads(edge graphstore.Edge, from domain.EntityID) (domain.Entity, bool) {
	other, named := edge.To, edge.Source == from
	if !named {
		other = edge.From
	}
	if len(c.verb) == 0 {
		return other, true
	}
	does := named // whether the named one is the doer
	if strings.HasSuffix(edge.Type, "_BY") {
		does = !does
	}
	if c.doer == intent.DoerNamed && !does || c.doer == intent.DoerCounted && does {
		return other, false
	}
	has := lemmas(edge.Type)
	return other, !slices.ContainsFunc(c.verb, func(v string) bool { return !slices.Contains(has, v) })
}

// stated returns the first sentence that states a relation, of some documents.
func (s *Service) stated(ctx context.Context, w domain.WorkspaceID, edge graphstore.Edge, among func(domain.DocumentID) bool) (explore.Quote, error) {
	for _, ev := range edge.Evidence {
		if len(ev.Spans) == 0 || !among(ev.Document) {
			continue
		}
		found, err := s.Texts.Passages(ctx, w, []domain.ChunkID{ev.Chunk})
		if err != nil {
			return explore.Quote{}, err
		}
		if len(found) > 0 {
			return explore.SentenceOf(found[0], ev.Spans[0]), nil
		}
	}
	return explore.Quote{}, nil
}

// numbers finds sentences about an entity that give a number of what is counted.
func (s *Service) numbers(ctx context.Context, w domain.WorkspaceID, t *Tally, what wantedCount, e domain.Entity, among func(domain.DocumentID) bool) error {
	passages, err := s.mentioning(ctx, w, e.ID, maxSaying)
	if err != nil {
		return err
	}
	t.sources = passages
	noun := prose.Terms(what.noun)
	for _, p := range passages {
		for _, span := range prose.Sentences(p.Text) {
			if len(t.Stated) < maxLines && among(p.Document) && numbered(span.Slice(p.Text), noun, what.verb) {
				at := span.Shift(p.Span.Start)
				t.Stated = append(t.Stated, Said{domain.OneLine(span.Slice(p.Text)), p.Name, p.Document, p.PageOf(at), p.Place(at), at.Start, at.End})
			}
		}
	}
	return nil
}

// numbered reports whether a sentence has a number right before a noun, and a verb.
func numbered(sentence string, noun, verb []string) bool {
	says := lemmas(sentence)
	return numberIn(sentence, noun) > 0 && !slices.ContainsFunc(verb, func(v string) bool { return !slices.Contains(says, v) })
}
