package builtin

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// part is a part of a question that can be asked on its own.
type part struct {
	text     string
	from, to int // tokens of its description of a thing; empty if none
}

// parts returns the questions that are joined in a question, or the question about each of the things that it compares, or else
// what it describes by names: "the director of film Copper Bridge".
func (q *asked) parts() (all []part) {
	if clauses := q.clauses(); len(clauses) > 1 {
		return clauses
	}
	if compared := q.compared(); len(compared) > 1 {
		return compared
	}
	for i := range q.pieces {
		p := q.described(i)
		whole := bits.OnesCount64(q.saidBy(p.text)) >= len(q.pieces)
		if p.text != "" && !whole && !slices.ContainsFunc(all, func(o part) bool { return o.from == p.from }) {
			all = append(all, p)
		}
	}
	return all
}

// count returns how many pieces of the question a text has.
func (q *asked) count(text string) int { return bits.OnesCount64(q.saidBy(text)) }

// clauses splits a question where a question word follows one that joins. Pronouns stand for the names before them.
func (q *asked) clauses() (all []part) {
	from := 0
	for i := 1; i <= len(q.tokens); i++ {
		joined := joining[q.word(i-1)] && questions[q.word(i)] || i < len(q.tokens) && questions[q.word(i)] && q.tokens[i-1].Text == "?"
		if i < len(q.tokens) && !joined {
			continue
		}
		end := i
		for end > from && (joining[q.word(end-1)] || !q.tokens[end-1].Word) {
			end--
		}
		text := textOf(q.tokens[from:end])
		if len(all) > 0 {
			text = withNames(text, spokenOf([]answer.Exchange{{Question: textOf(q.tokens[:from])}}), nil)
		}
		if domain.Runes(text) > 0 {
			all = append(all, part{text: firstLetter(text, unicode.ToUpper) + "?"})
		}
		from = i
	}
	return all
}

// compared returns the question for each of the names that it lists, joined by commas or by words.
func (q *asked) compared() (all []part) {
	for i := 0; i < len(q.pieces); i++ {
		j, by := i, false
		for j+1 < len(q.pieces) && q.pieces[j].named && q.pieces[j+1].named {
			joins, word := q.joins(q.pieces[j].to, q.pieces[j+1].from)
			if !joins {
				break
			}
			j, by = j+1, by || word
		}
		if !by || between[q.word(q.pieces[i].from-1)] {
			continue
		}
		first := q.pieces[i].from
		if definite[q.word(first-1)] && prose.IsCapitalised(q.tokens[first-1].Text) {
			first-- // of the title
		}
		for _, p := range q.pieces[i : j+1] {
			all = append(all, part{text: ofOne(p.text, q.tokens[:first], q.tokens[q.pieces[j].to:])})
		}
		return all
	}
	return nil
}

// ofOne returns the question that a comparison asks of one thing, from the text before and after the things compared.
func ofOne(name string, before, behind []prose.Token) string {
	var words []string
	for _, t := range slices.Concat(before, behind) {
		if t.Word {
			words = append(words, strings.ToLower(t.Text))
		}
	}
	name = strings.TrimPrefix(name, "Compare ")
	if len(words) == 0 {
		return answer.WhatAbout(name, "")
	}
	if asks := cmp.Or(whenOf(name, words), sameOf(name, words)); asks != "" {
		return asks
	}
	if n := len(before); n > 0 && before[n-1].Word && len(behind) > 1 { // the things are inside the question
		text := textOf(before)
		if one := singular[words[0]]; one != "" {
			text = firstLetter(one, unicode.ToUpper) + strings.TrimPrefix(text, before[0].Text)
		}
		if strings.EqualFold(behind[0].Text, "both") {
			behind = behind[1:]
			if one, plural := strings.CutSuffix(behind[0].Text, "s"); plural && labelOfNoun(one) != "" && one != "" {
				return text + " " + name + " " + indefinite(one) + goingOn(behind[1:])
			}
		}
		return text + " " + name + goingOn(behind)
	}
	return under(name, strings.Trim(textOf(before), " ,:;")+goingOn(behind))
}

// whenOf asks of one thing when that was by which a question puts one before the others, or returns "": "which film was released
// first", "which film has the director who was born earlier".
func whenOf(name string, words []string) string {
	n := len(words)
	if n < 4 || !questions[words[0]] || !precedence[words[n-1]] || words[n-2] != "born" && !isPastVerb(words[n-2]) {
		return ""
	}
	verb, of := words[n-2], words[:n-2]
	be := beings[of[len(of)-1]]
	if be {
		of = of[:len(of)-1]
	}
	role := of[len(of)-1]
	switch {
	case be && len(of) <= 2: // the thing itself
		return "When was " + name + " " + verb + "?"
	case be && subjects[role] && len(of) > 2 && definite[of[len(of)-3]]:
		role = of[len(of)-2]
	case be && of[len(of)-2] == "whose", !be && len(of) > 2 && definite[of[len(of)-2]]:
	default:
		return ""
	}
	return "When was the " + role + " of " + name + " " + verb + "?"
}

// sameOf asks of one thing what a question asks to be the same of several, or returns "": "are they both located in the same country".
func sameOf(name string, words []string) string {
	n := len(words)
	if n < 4 || words[n-3] != "the" || words[n-2] != "same" || isStop(words[n-1]) {
		return ""
	}
	by, noun := words[n-4], words[n-1]
	between := slices.DeleteFunc(slices.Clone(words[min(1, n-4):n-4]), func(w string) bool { return w == "both" })
	switch {
	case len(between) > 1:
	case (by == "in" || by == "from") && len(between) == 1:
		if isPastVerb(between[0]) {
			return "Which " + noun + " is " + name + " " + between[0] + " " + by + "?"
		}
	case by == "in" || by == "from":
		return "Which " + noun + " is " + name + " " + by + "?"
	case len(between) == 0 && (by == "of" || by == "have" || by == "has" || by == "share"):
		return "What is the " + noun + " of " + name + "?"
	}
	return ""
}

// indefinite returns a noun with its article.
func indefinite(noun string) string {
	if strings.ContainsRune("aeiouAEIOU", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// goingOn returns the continuation of a sentence: a word after a space, a sign without one.
func goingOn(tokens []prose.Token) string {
	if len(tokens) > 0 && tokens[0].Word {
		return " " + textOf(tokens)
	}
	return textOf(tokens)
}

// singular maps plural forms of verbs to the singular.
var singular = map[string]string{"are": "is", "were": "was", "do": "does", "have": "has"}

// precedence contains the words that ask which of several things comes first.
var precedence = prose.Set("first earlier later last sooner")

// under returns a question as for a name or a heading.
func under(topic, question string) string {
	if words := prose.Words(question); len(words) > 0 && isStop(words[0].Text) {
		question = lowered(question)
	}
	return answer.AsFor(topic, question)
}

// topicOf returns the name or heading that a question is about, or "", and the question itself. A person may write the
// topic before a colon.
func topicOf(question string) (topic, rest string) {
	if topic, rest, ok := answer.TopicOf(question); ok {
		return topic, rest
	}
	if topic, rest, ok := strings.Cut(question, ": "); ok {
		return topic, rest
	}
	return "", question
}

// asWords returns a heading for use within a sentence: its first word is lowercased unless the heading is a name.
func asWords(heading string) string {
	words := prose.Words(heading)
	named := len(words) == 0 || prose.IsAcronym(words[0].Text) || !prose.IsCommon(words[0].Text) ||
		slices.ContainsFunc(words[1:], func(w prose.Token) bool { return prose.IsCapitalised(w.Text) && !isStop(w.Text) })
	if named && !(len(words) > 0 && isStop(words[0].Text)) {
		return heading
	}
	return lowered(heading)
}

// lowered returns a text whose first letter is in lower case.
func lowered(text string) string {
	at := strings.IndexFunc(text, unicode.IsLetter)
	return text[:max(at, 0)] + firstLetter(text[max(at, 0):], unicode.ToLower)
}

// between has words before two things that make one.
var between = map[string]bool{"between": true, "zwischen": true, "entre": true, "tra": true, "tussen": true}

// joins reports whether tokens only join what is on both sides of them, and whether one of them is a word.
func (q *asked) joins(from, to int) (joins, word bool) {
	for i := from; i < to; i++ {
		article := word && i == to-1 && definite[q.word(i)]
		if q.tokens[i].Word && !joining[q.word(i)] && !article || !q.tokens[i].Word && q.tokens[i].Text != "," {
			return false, false
		}
		word = word || q.tokens[i].Word
	}
	return from < to, word
}

// described returns the part that describes a thing by piece i, a name: the thing that a name owns, what stands from the article
// of the thing to the name, or the clause that the question begins with. It has no text if there is none.
func (q *asked) described(i int) part {
	p := q.pieces[i]
	if !p.named || isDemonym(p.text) || q.goesOnWith(i) {
		return part{}
	}
	from, to := p.from, p.to
	if owns(q.tokens[p.to-1].Text) {
		if to = q.owned(p.to); to == p.to {
			return part{}
		}
		for i > 0 && q.goesOnWith(i-1) {
			i--
			from = q.pieces[i].from
		}
	} else if from = q.article(p.from, i); from < 0 {
		if p.from > 1 || q.asks.End > 0 && q.asks.Start < p.from {
			return part{}
		}
		from = p.from
		to = q.clauseEnd(p.to)
	} else if q.opensClause(from, p.from) {
		to = q.clauseEnd(p.to)
	}
	for to > p.to && (linking[q.word(to-1)] || prepositions[q.word(to-1)]) && !q.ends(to) {
		to--
	}
	return part{q.thing(from, to), from, to}
}

// thing asks what a part of the question describes, in English, or else says it: the director of film Copper Bridge.
func (q *asked) thing(from, to int) string {
	said := plainly(q.tokens[from:to])
	if slices.ContainsFunc(q.pieces, func(p piece) bool { return p.named && p.from == from && p.to == to }) {
		return answer.WhatAbout(said, q.text)
	}
	article := q.word(from) == "the" || q.word(from) == "a" || q.word(from) == "an"
	if !article && !(prose.IsCapitalised(q.tokens[from].Text) && slices.ContainsFunc(q.tokens[from:to], func(t prose.Token) bool { return owns(t.Text) })) {
		return firstLetter(said, unicode.ToUpper)
	}
	if verb := from + 3; article && verb < to && subjects[q.word(from+2)] && (isPastVerb(q.word(verb)) || beings[q.word(verb)] || helping[q.word(verb)]) {
		return "Which " + q.word(from+1) + " " + plainly(q.tokens[verb:to]) + "?"
	}
	asks := "What is "
	if noun := q.nounIn(from, to); labelOfNoun(noun) == "Person" || labelOfNoun(noun) == "" && kin[noun] {
		asks = "Who is "
	}
	if head := q.headOf(from, to); len(head) > 3 && strings.HasSuffix(head, "s") && !strings.HasSuffix(head, "ss") && !owns(head) && article {
		asks = asks[:len(asks)-len("is ")] + "are "
	}
	if article {
		said = "the " + plainly(q.tokens[from+1:to])
	}
	return asks + said + "?"
}

// headOf returns the head noun of a part, which the words behind it describe, in lower case.
func (q *asked) headOf(from, to int) (head string) {
	for i := from + 1; i < to && q.tokens[i].Word && !linking[q.word(i)] && !q.opens(i) && !isStop(q.word(i)) && !isPastVerb(q.word(i)); i++ {
		head = q.word(i)
	}
	return head
}

// nounIn returns the noun of a part that describes a thing: the first that has a label or is of kin, in lower case.
func (q *asked) nounIn(from, to int) string {
	for i := to - 1; i > from; i-- {
		if owns(q.tokens[i-1].Text) { // the owner of the thing
			from = i
			break
		}
	}
	for i := from; i < to && !(i > from && (linking[q.word(i)] || q.opens(i))); i++ {
		if w := q.word(i); labelOfNoun(w) != "" || kin[w] {
			return w
		}
	}
	return ""
}

// subjects contains the words that replace a noun as the subject of a clause.
var subjects = prose.Set("that which who")

// plainly joins tokens without quotation marks, which a part of a question may have lost one of.
func plainly(tokens []prose.Token) string {
	return strings.Trim(textOf(slices.DeleteFunc(slices.Clone(tokens), func(t prose.Token) bool { return strings.ContainsAny(t.Text, "\"“”„«»") })), " ,;:?")
}

// goesOnWith reports whether only a comma separates piece i from the next, and both are names: "Louis I, Landgrave of
// Hesse".
func (q *asked) goesOnWith(i int) bool {
	if i+1 >= len(q.pieces) || !q.pieces[i].named || !q.pieces[i+1].named {
		return false
	}
	joins, word := q.joins(q.pieces[i].to, q.pieces[i+1].from)
	return joins && !word
}

func owns(word string) bool {
	word = strings.ReplaceAll(word, "’", "'")
	return strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "s'")
}

// owned returns the end of the thing that a name owns, which starts at token i: a word, or one of another: "city of
// birth".
func (q *asked) owned(i int) int {
	for i < len(q.tokens) && q.tokens[i].Word && !isStop(q.tokens[i].Text) {
		i++
		if nounLabels[q.word(i-1)] != "" || kin[q.word(i-1)] || isPastVerb(q.word(i)) || isStop(q.word(i)) {
			break
		}
	}
	if i+1 < len(q.tokens) && linking[q.word(i)] && q.tokens[i+1].Word && !isStop(q.tokens[i+1].Text) {
		i += 2
	}
	return i
}

// article returns the last article before token i, with another word between them and no other name, or -1.
func (q *asked) article(i, before int) int {
	for at := i - 1; at >= 0 && q.tokens[at].Word; at-- {
		w := q.word(at)
		named := slices.ContainsFunc(q.pieces[:before], func(p piece) bool { return p.named && p.to == at+1 && !isDemonym(p.text) })
		if named || questions[w] && !relatives[w] {
			break
		}
		if at < i-1 && definite[w] {
			return at
		}
	}
	return -1
}

// definite has articles.
var definite = prose.Set("a an the der die das des dem den ein eine einen einem einer le la les un une el los las il lo una")

// opens reports whether the word at token i begins another clause. Some words of other languages are spelt like forms of be.
func (q *asked) opens(i int) bool {
	w := q.word(i)
	return (relatives[w] || questions[w] || joining[w]) && !beings[w] && !helping[w]
}

// opensClause reports whether the name at token i is the subject of a clause about the thing whose article is at from:
// "the country where X is", "the team X left".
func (q *asked) opensClause(from, i int) bool {
	at := i
	for at > from+1 && !q.opens(at) {
		at--
		if w := q.word(at); !q.opens(at) && !definite[w] && (isPastVerb(w) || isStop(w)) {
			return false
		}
	}
	return true
}

// clauseEnd returns the end of the clause that includes token i: at another clause, name or sign, or at the end of the
// question.
func (q *asked) clauseEnd(i int) int {
	for i < len(q.tokens) && q.tokens[i].Word && !q.opens(i) &&
		!slices.ContainsFunc(q.pieces, func(p piece) bool { return p.named && p.from == i }) {
		i++
	}
	return i
}

// ends reports whether token i is a sign or the end of the question.
func (q *asked) ends(i int) bool { return i >= len(q.tokens) || !q.tokens[i].Word }

// with returns the question with a name in the place of the part of it that a planned question asks about. Where that asks about one
// thing of several, the name takes the place of what it describes, if anything: it is asked under the name otherwise.
func (q *asked) with(planned research.Question, name string) string {
	for _, p := range q.parts() {
		if p.text == planned.Text && p.to > p.from {
			return q.replaced(p, name)
		}
	}
	if one := readAsked(planned.Text); planned.Text != q.text {
		if parts := one.parts(); len(parts) == 1 && parts[0].to > parts[0].from {
			return one.replaced(parts[0], name)
		}
	}
	text := planned.Text
	if topic, rest := topicOf(planned.Text); topic != "" && q.isAsked(topic) {
		text = rest
	}
	return under(name, text)
}

// replaced returns the question with a name in the place of a part.
func (q *asked) replaced(p part, name string) string {
	return strings.TrimSpace(plainly(q.tokens[:p.from])+" "+name+" "+plainly(q.tokens[p.to:])) + "?"
}
