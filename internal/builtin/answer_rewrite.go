package builtin

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// rewriter climbs a ladder: the question with its spelling mended, its names with those
// that the graph ties to them, its other words alone, then wider and wider searches. It
// skips rungs that would repeat a search.
type rewriter struct {
	Graph
	*answerReader
}

var _ answer.Rewriter = rewriter{}

// rungs is the number of wordings before the search becomes wider: the question
// itself and two more.
const rungs = 3

// Rewrite returns the first rung of the ladder that has not been tried.
func (w rewriter) Rewrite(ctx context.Context, r answer.RewriteRequest, _ answer.Emit) (answer.Rewrite, error) {
	q := readAsked(r.Question)
	wide := answer.Rewrite{Text: q.text, How: "wider: more passages, more hops", Wide: 1}
	for answer.Repeats(wide, r.Before) {
		wide.Wide++
	}
	if len(r.Before) >= rungs {
		return wide, nil
	}
	mended, err := w.mended(ctx, r.Workspace, q.text)
	if err != nil {
		return answer.Rewrite{}, err
	}
	names, err := w.names(ctx, r.Workspace, q)
	if err != nil {
		return answer.Rewrite{}, err
	}
	for _, next := range []answer.Rewrite{
		{Text: mended, How: "spelling mended"},
		{Text: strings.Join(names, " "), How: "names and aliases from the graph"},
		{Text: strings.Join(q.terms(), " "), How: "key terms alone"},
	} {
		if next.Text != "" && !answer.Repeats(next, r.Before) {
			return next, nil
		}
	}
	return wide, nil
}

// mended returns a question with the words that no document has spelt as a document
// spells them.
func (w rewriter) mended(ctx context.Context, room domain.WorkspaceID, question string) (string, error) {
	if w.words == nil {
		return "", nil
	}
	found, err := w.words.Words(ctx, room, question, nil)
	if err != nil {
		if domain.KindOf(err) == domain.Unavailable {
			return "", ctx.Err()
		}
		return "", err
	}
	for _, word := range found.Words {
		if word.Documents == 0 && word.Meant != "" {
			question = strings.Replace(question, word.Text, word.Meant, 1)
		}
	}
	return question, nil
}

// names returns the question's names with their aliases, or none if it has no names.
func (w rewriter) names(ctx context.Context, room domain.WorkspaceID, q *asked) ([]string, error) {
	var keys []string
	names := q.texts(q.named())
	for _, n := range names {
		keys = append(keys, prose.Key(n))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	entities, err := known(ctx, w.Graph, room, keys)
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		names = append(append(names, e.Name), e.Aliases...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		key := prose.Key(n)
		again := seen[key]
		seen[key] = true
		return again
	}), nil
}

// terms returns the content words of a question that are neither names nor verbs.
func (q *asked) terms() []string {
	var out []string
	for _, p := range q.pieces {
		if !p.named && !isPastVerb(p.text) {
			out = append(out, p.text)
		}
	}
	return out
}

// condenser replaces pronouns with names.
type condenser struct{ Graph }

var _ answer.Condenser = condenser{}

// Condense completes a question that continues the one before it, and replaces its
// pronouns with the names mentioned last. A question that says all stays as it is.
func (c condenser) Condense(ctx context.Context, asked answer.Asked, history []answer.Exchange, _ answer.Emit) (string, error) {
	names := spokenOf(history)
	people, err := c.people(ctx, asked.Workspace, names)
	if err != nil {
		return "", err
	}
	before := ""
	for i, e := range history { // each may continue the previous one
		before = withNames(completed(e.Question, before), spokenOf(append(slices.Clone(history[:i]), answer.Exchange{Question: e.Question})), people)
	}
	return withNames(completed(asked.Question, before), names, people), nil
}

// withNames replaces the pronouns of a question with names, which are ordered by latest mention.
func withNames(question string, names []string, people map[string]bool) string {
	text := []rune(question)
	tokens := prose.Tokens(question)
	for i, t := range slices.Backward(tokens) {
		if name := standsFor(tokens, i, names, people); name != "" {
			text = slices.Concat(text[:t.Span.Start], []rune(name), text[t.Span.End:])
		}
	}
	return string(text)
}

// standsFor returns the last mentioned name that the pronoun at i can refer to, or "".
func standsFor(tokens []prose.Token, i int, names []string, people map[string]bool) string {
	word := strings.ToLower(tokens[i].Text)
	person := pronounsOfPeople[word]
	if !person && !pronounsOfThings[word] {
		return ""
	}
	for _, n := range names {
		if people[n] == person {
			if possessive(word, tokens, i) {
				return n + "'s"
			}
			return n
		}
	}
	return ""
}

// possessive reports whether a pronoun is possessive: "her" is if a content
// word follows.
func possessive(word string, tokens []prose.Token, i int) bool {
	switch word {
	case "his", "its", "their", "hers":
		return true
	case "her":
		return i+1 < len(tokens) && tokens[i+1].Word && !prose.IsStopWord(tokens[i+1].Text)
	}
	return false
}

// spokenOf returns the names in the history, latest exchange first, each
// question before its answer.
func spokenOf(history []answer.Exchange) []string {
	var names []string
	for _, e := range slices.Backward(history) {
		for _, text := range []string{e.Question, e.Answer} {
			for _, n := range prose.Names(text) {
				if n.Kind == prose.Proper && !slices.Contains(names, n.Text) {
					names = append(names, n.Text)
				}
			}
		}
	}
	return names
}

// people reports which names are names of people, by the graph's labels or else
// by their form.
func (c condenser) people(ctx context.Context, w domain.WorkspaceID, names []string) (map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	keys := make([]string, len(names))
	for i, n := range names {
		keys[i] = prose.Key(n)
	}
	entities, err := known(ctx, c.Graph, w, keys)
	if err != nil {
		return nil, err
	}
	people := map[string]bool{}
	for i, n := range names {
		people[n] = strings.Contains(keys[i], " ")
		for _, e := range entities {
			if e.Key == keys[i] && e.Label != domain.UnknownLabel {
				people[n] = e.Label == person
				break
			}
		}
	}
	return people, nil
}

// completed returns a question with the words of the one before it that it leaves out:
// "And where?" after "When was Ada born?" asks "Where was Ada born?", and "And the
// Lark?" after "Who built the quay?" asks "Who built the Lark?". It returns a question
// that leaves nothing out as it is.
func completed(text, before string) string {
	if before == "" {
		return text
	}
	tokens := prose.Tokens(text)
	for len(tokens) > 0 && (!tokens[len(tokens)-1].Word) {
		tokens = tokens[:len(tokens)-1]
	}
	joined := 0
	for joined < len(tokens) && (joining[strings.ToLower(tokens[joined].Text)] || !tokens[joined].Word) {
		joined++
	}
	rest := tokens[joined:]
	switch {
	case len(rest) == 0:
		return text
	case isBareQuestion(rest):
		return askedOtherwise(before, textOf(rest))
	case joined > 0 && isThing(rest):
		return askedOfAnother(before, textOf(rest))
	}
	return text
}

// mostLeftOut bounds the words of a question that leaves something out.
const mostLeftOut = 5

// isBareQuestion reports whether tokens are a question word without a subject.
func isBareQuestion(tokens []prose.Token) bool {
	asks := false
	for _, t := range tokens {
		word := strings.ToLower(t.Text)
		asks = asks || questions[word]
		if !questions[word] && !leading[word] && !trailing[word] {
			return false
		}
	}
	return asks && len(tokens) <= mostLeftOut
}

// isThing reports whether tokens name a thing and say nothing of it.
func isThing(tokens []prose.Token) bool {
	return len(tokens) <= mostLeftOut && !slices.ContainsFunc(tokens, func(t prose.Token) bool {
		word := strings.ToLower(t.Text)
		return questions[word] || beings[word] || helping[word] || isPastVerb(word) || !t.Word
	})
}

// askedOtherwise replaces the question words of a question.
func askedOtherwise(before, asks string) string {
	q := readAsked(before)
	from := slices.IndexFunc(q.tokens, func(t prose.Token) bool { return questions[strings.ToLower(t.Text)] })
	asks = firstLetter(asks, unicode.ToUpper)
	switch {
	case from < 0 && q.opensWithVerb():
		return asks + " " + firstLetter(ended(q.tokens), unicode.ToLower) + "?"
	case from < 0 || from >= lateQuestion:
		return before
	}
	to := from + 1
	if q.asks.End > to && q.asks.Start == from {
		to = q.asks.End
	}
	rest := q.tokens[to:]
	wasPerson, isPerson := persons[q.word(from)], slices.ContainsFunc(strings.Fields(strings.ToLower(asks)), func(w string) bool { return persons[w] })
	if len(rest) > 1 && wasPerson && !isPerson && isPastVerb(q.word(to)) && !beings[q.word(to)] && !helping[q.word(to)] {
		return asks + " was " + ended(rest[1:]) + " " + rest[0].Text + "?" // who built it: it was built
	}
	return strings.TrimSpace(asks+" "+ended(rest)) + "?"
}

// askedOfAnother replaces the subject of a question.
func askedOfAnother(before, thing string) string {
	q := readAsked(before)
	if first, _, _ := strings.Cut(strings.ToLower(thing), " "); places[first] {
		return ended(q.tokens) + " " + thing + "?"
	}
	at := slices.IndexFunc(q.pieces, func(p piece) bool { return p.named || !isPastVerb(p.text) })
	if at < 0 {
		return before
	}
	from, to := q.pieces[at].from, q.pieces[at].to
	for _, p := range q.pieces[at+1:] {
		if p.from == to && !isPastVerb(p.text) || p.from == to+1 && linking[q.word(to)] || p.from == to+2 && linking[q.word(to)] && determiners[q.word(to+1)] {
			to = max(to, p.to)
		}
	}
	if determiners[q.word(from-1)] {
		from--
	}
	if last := q.tokens[to-1].Text; strings.HasSuffix(last, "'s") || strings.HasSuffix(last, "’s") {
		thing += "'s"
	}
	return domain.OneLine(textOf(q.tokens[:from])+" "+thing+" "+ended(q.tokens[to:])) + "?"
}

// ended returns the text of tokens without the signs at their end.
func ended(tokens []prose.Token) string {
	for len(tokens) > 0 && !tokens[len(tokens)-1].Word {
		tokens = tokens[:len(tokens)-1]
	}
	return textOf(tokens)
}

func firstLetter(s string, change func(rune) rune) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = change(r[0])
	}
	return string(r)
}
