package builtin

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/prose"
)

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

// isBareQuestion reports whether tokens are a question word, with nothing that says
// what it is about.
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

// askedOtherwise puts other question words in the place of those of a question.
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

// askedOfAnother puts another thing in the place of the one that a question is about.
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
	return strings.Join(strings.Fields(textOf(q.tokens[:from])+" "+thing+" "+ended(q.tokens[to:])), " ") + "?"
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
