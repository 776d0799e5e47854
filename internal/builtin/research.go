package builtin

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
)

// Relations looks up what relates entities. See graphstore.Reader.
type Relations interface {
	Graph
	Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error)
}

// Researching returns the role of research without a model. Its questions are the one to be researched and the parts of it;
// where it has none, the same as for headings near it. It goes on with what sentences, or the graph, say that a part of the
// question stands for. It writes no overview.
func Researching(g Relations) research.Role { return researcher{g} }

type researcher struct{ Relations }

// Overview implements research.Role.
func (researcher) Overview(context.Context, research.Task, research.Report, answer.Emit) ([]domain.Sentence, error) {
	return nil, nil
}

// readResearched reads a question, in which a single name that owns something is a name too: "Quennell's mill".
func readResearched(text string) *asked {
	q := readAsked(text)
	for i, p := range q.pieces {
		q.pieces[i].named = p.named || owns(p.text) && prose.IsCapitalised(p.text)
	}
	return q
}

// longestTopic is the longest heading or name that makes a topic, in code points.
const longestTopic = 80

// Plan asks the question itself and its parts. Where there are none, it asks under the headings of passages that have at least half
// of its words.
func (researcher) Plan(_ context.Context, t research.Task, _ answer.Emit) ([]research.Question, error) {
	q := readResearched(t.Question)
	plan := []research.Question{{Text: t.Question}}
	for _, p := range q.parts() {
		plan = append(plan, research.Question{Text: p.text})
	}
	if len(plan) > 1 {
		return plan, nil
	}
	var headings []string
	for _, p := range t.Passages {
		if said := q.count(p.Title + " " + p.Text); 2*said < len(q.pieces) {
			continue
		}
		if n := len(p.Headings); n > 0 {
			headings = append(headings, p.Headings[n-1])
		} else if p.Title != "" {
			headings = append(headings, p.Title)
		}
	}
	return append(plan, about(t, headings)...), nil
}

// mostLeads is the maximum number of names from one question that a search for gaps follows.
const mostLeads = 2

// Gaps repeats the question with the names found for its parts in their places.
func (r researcher) Gaps(ctx context.Context, t research.Task, _ answer.Emit) ([]research.Question, error) {
	whole := readResearched(t.Question)
	var more []research.Question
	for _, q := range t.Planned {
		if q.Topic != "" {
			continue
		}
		part := readResearched(q.Text)
		leads, err := r.leads(ctx, t, part, q.N, whole)
		if err != nil {
			return nil, err
		}
		for _, name := range leads {
			more = append(more, research.Question{Text: whole.with(q, name), Topic: name})
		}
	}
	return more, nil
}

// leads returns the names that a part of the question stands for: the ends of relations that its words name, and the names in
// the sentences that answer it. A question without parts leads on by the names that tie its sentences, and by those beside its own,
// unless one sentence says all of it. What a person wrote into the plan leads nowhere.
func (r researcher) leads(ctx context.Context, t research.Task, q *asked, n int, whole *asked) (names []string, err error) {
	part := slices.ContainsFunc(whole.parts(), func(p part) bool { return prose.Question(p.text) == q.text })
	var found []string
	if part {
		if found, err = r.related(ctx, t.Workspace, q); err != nil {
			return nil, err
		}
	} else if q.text != whole.text || len(whole.parts()) > 0 || whole.answeredIn(t.Findings, n) {
		return nil, nil
	}
	for _, f := range t.Findings {
		if f.N != n {
			continue
		}
		for _, c := range f.Citations {
			found = append(found, c.Tie)
		}
		for _, s := range f.Sentences {
			if part || q.saidBy(s.Text)&q.named() != 0 {
				found = append(found, q.names(s.Text)...)
			}
		}
	}
	return r.fitting(ctx, t.Workspace, q.label(), slices.DeleteFunc(found, func(name string) bool { return !whole.mayStandFor(name) }))
}

// answeredIn reports whether a sentence that was found for question n has all names and words of the question.
func (q *asked) answeredIn(findings []research.Finding, n int) bool {
	return slices.ContainsFunc(findings, func(f research.Finding) bool {
		return f.N == n && slices.ContainsFunc(f.Sentences, func(s domain.Sentence) bool {
			said, words := q.wordsIn(s.Text)
			return words > 0 && said == words && q.named()&^q.saidBy(s.Text) == 0
		})
	})
}

// fitting returns the first of some distinct names: those with a label, then those without one. If label is "", all
// fit.
func (r researcher) fitting(ctx context.Context, w domain.WorkspaceID, label string, found []string) (names []string, err error) {
	labels, err := r.labels(ctx, w, found)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, sure := range []bool{true, false} {
		for _, name := range found {
			key := prose.Key(name)
			fits := labels[key] == label || !sure && (labels[key] == "" || label == "")
			if fits && !seen[key] && len(names) < mostLeads {
				seen[key] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// longestLead is the most words of a name that takes the place of a part of a question.
const longestLead = 6

// mayStandFor reports whether a name may be the answer to a part of the question: a short one that the part does not
// contain.
func (q *asked) mayStandFor(name string) bool {
	return name != "" && domain.Runes(name) <= longestTopic && len(strings.Fields(name)) <= longestLead && !q.isAsked(name) && !isDemonym(name)
}

// isDemonym reports whether a name only states somebody's origin: Norwegian, Cuban-American.
func isDemonym(name string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '–' }), func(w string) bool { return !demonyms[w] })
}

// labels returns the labels of names in the graph, by their keys.
func (r researcher) labels(ctx context.Context, w domain.WorkspaceID, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = prose.Key(name)
	}
	entities, err := known(ctx, r, w, keys)
	of := map[string]string{}
	for _, e := range entities {
		if e.Label != domain.UnknownLabel && of[e.Key] == "" {
			of[e.Key] = e.Label
		}
	}
	return of, err
}

// label returns the label of the thing that the question describes, judged by its noun, or "".
func (q *asked) label() string {
	for i := range q.tokens {
		if owning[q.word(i)] {
			return labelOfNoun(q.word(i + 1))
		}
	}
	for i := range q.tokens {
		if of := labelOfNoun(q.word(i)); of != "" {
			return of
		}
		if i > 0 && q.opens(i) {
			break
		}
	}
	return ""
}

// owning contains the words that ask for an owner.
var owning = prose.Set("whose deren dessen dont cuyo cuya")

// names returns the names in a sentence, those first that follow a word of the question.
func (q *asked) names(sentence string) (names []string) {
	tokens, after := prose.Tokens(sentence), len(sentence)
	for _, t := range tokens {
		if t.Word && !isStop(t.Text) && !prose.IsCapitalised(t.Text) && q.means(t.Text) {
			after = t.Span.End
			break
		}
	}
	for _, late := range []bool{true, false} {
		for _, name := range prose.Names(sentence) {
			if (name.Kind == prose.Proper || name.Kind == prose.Quoted) && name.Span.Start >= after == late {
				names = append(names, name.Text)
			}
		}
	}
	return names
}

// mostRelated bounds the relations of the names of a question that are looked at.
const mostRelated = 60

// related returns the entities that relations whose types have a word of the question join to its names.
func (r researcher) related(ctx context.Context, w domain.WorkspaceID, q *asked) (names []string, err error) {
	var keys []string
	for _, name := range q.texts(q.named()) {
		keys = append(keys, prose.Key(name))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	entities, err := known(ctx, r, w, keys)
	if err != nil || len(entities) == 0 {
		return nil, err
	}
	var ids []domain.EntityID
	for _, e := range entities {
		ids = append(ids, e.ID)
	}
	edges, err := r.Around(ctx, w, ids, mostRelated)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, ctx.Err()
	}
	for _, e := range edges {
		if !slices.ContainsFunc(strings.Split(e.Type, "_"), func(word string) bool { return !isStop(word) && q.means(word) }) {
			continue
		}
		other := e.From
		if slices.Contains(ids, e.From.ID) {
			other = e.To
		}
		names = append(names, other.Name)
	}
	return names, err
}

// means reports whether the question has a word of the same stem, or of one that is derived from it: director of directed.
func (q *asked) means(word string) bool {
	stem := stemOf(word)
	if q.words[stem] {
		return true
	}
	for w := range q.words {
		if len(stem) >= derived && len(w) >= derived && root(w) == root(stem) {
			return true
		}
	}
	return false
}

// Bearing implements research.Role. A sentence bears on a question that has a name of it, or that has another of its words where
// its document has the name; on one with a topic, if it has that and a word. What the nearest names of such a sentence say, or a
// name that ties it to another, bears on it too.
func (researcher) Bearing(question string, sentences []domain.Sentence, cited []domain.Citation) []bool {
	q := readResearched(question)
	topic, _ := topicOf(question)
	bears, beside := make([]bool, len(sentences)), map[string]bool{}
	froms, ties := make([]string, len(sentences)), make([]string, len(sentences))
	for i, s := range sentences {
		for _, c := range cited {
			if slices.Contains(s.Citations, c.N) {
				froms[i] += " " + strings.Map(apart, c.Document)
				ties[i] += c.Tie
			}
		}
		if bears[i] = q.bears(s.Text, froms[i], topic); !bears[i] {
			continue
		}
		beside[ties[i]] = true
		names := q.names(s.Text)
		for _, name := range names[:min(len(names), mostLeads)] {
			beside[name] = q.mayStandFor(name)
		}
	}
	for i, s := range sentences {
		for name, leads := range beside {
			bears[i] = bears[i] || leads && name != "" && q.says(s.Text) && (ties[i] == name || holds(s.Text+froms[i], name))
		}
	}
	return bears
}

// apart replaces what joins the words of the name of a file by spaces.
func apart(r rune) rune {
	if strings.ContainsRune("-_.()", r) {
		return ' '
	}
	return r
}

// bears reports whether a sentence of a document bears on the question, or on its topic if it has one.
func (q *asked) bears(sentence, from, topic string) bool {
	names := q.texts(q.named())
	if topic != "" {
		return holds(sentence+from, topic) && q.says(sentence)
	}
	has := func(text string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return holds(text, n) })
	}
	return len(names) == 0 && q.says(sentence) || has(sentence) || has(from) && (q.says(sentence) || q.offeredBy(sentence))
}

// offeredBy reports whether a sentence has a name or a date of the kind that the question asks for.
func (q *asked) offeredBy(sentence string) bool {
	return slices.ContainsFunc(prose.Names(sentence), func(n prose.Name) bool {
		date := n.Kind == prose.Date
		return !q.isAsked(n.Text) && (q.wants == aDate && date || (q.wants == aPlace || q.wants == aName) && (n.Kind == prose.Proper || n.Kind == prose.Quoted))
	})
}

// holds reports whether a text has all words of a name, ignoring accents.
func holds(text, name string) bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(prose.Key(text)) {
		words[word] = true
	}
	all := strings.Fields(prose.Key(name))
	return len(all) > 0 && !slices.ContainsFunc(all, func(w string) bool { return !words[w] && !isStop(w) })
}

// manyWords is the number of words, apart from names, from which a question requires two of them in a sentence.
const manyWords = 4

// says reports whether a sentence contains enough of the question's words, apart from names, or words with the same root.
func (q *asked) says(sentence string) bool {
	said, words := q.wordsIn(sentence)
	return said >= min(words, 1+words/manyWords)
}

// wordsIn counts the words of the question other than names, and how many of them, or of words with the same root, a sentence contains.
func (q *asked) wordsIn(sentence string) (said, words int) {
	stems := map[string]bool{}
	for _, t := range prose.Words(sentence) {
		stem := stemOf(t.Text)
		stems[stem], stems[root(stem)] = true, true
	}
	for _, p := range q.pieces {
		if p.named {
			continue
		}
		words++
		stem := stemOf(p.text)
		if stems[stem] || len(stem) >= derived && stems[root(stem)] {
			said++
		}
	}
	return said, words
}

// derived is how many letters words of one meaning begin with: direct of directed and director.
const derived = 5

// root returns the beginning that a word shares with words derived from it.
func root(stem string) string { return stem[:min(len(stem), derived)] }

// numbering matches the number that a heading begins with.
var numbering = regexp.MustCompile(`^(?:\d+(?:\.\d+)*|[IVX]+|[A-Za-z])[.)]\s+`)

// about returns the question as for each topic, most at most. A topic whose words the questions so far have is left out.
func about(t research.Task, topics []string) (questions []research.Question) {
	said := map[string]bool{}
	note := func(text string) (fresh bool) {
		for _, term := range prose.Terms(text) {
			fresh = fresh || !said[term]
			said[term] = true
		}
		return fresh
	}
	note(t.Question)
	for _, q := range t.Planned {
		note(q.Text)
	}
	for _, topic := range topics {
		topic = strings.Trim(strings.ReplaceAll(numbering.ReplaceAllString(domain.OneLine(topic), ""), ": ", " – "), ".:;,# ")
		if len(questions) == t.Most || domain.Runes(topic) > longestTopic || !note(topic) {
			continue
		}
		topic = asWords(topic)
		questions = append(questions, research.Question{Text: under(topic, t.Question), Topic: topic})
	}
	return questions
}
