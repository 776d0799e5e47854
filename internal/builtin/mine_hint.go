package builtin

// hint casts the votes of what surrounds the mention at i: the noun that follows
// it, the verb that it is the subject of, the plural that it is an example of,
// the part that it plays.
func (s *sentence) hint(c *cast, i int) {
	m := s.items[i].mention
	if !c.technical {
		c.vote(m, s.labelOfNext(i), 1)
	}
	if label := s.labelOfExamples(i); label != "" {
		c.vote(m, label, 3)
	}
	if e := &c.list[c.of(m)]; s.is(i-1, "the") && !s.modifies(i) && len(e.words) == 1 && !e.acronym {
		c.vote(m, endingLabels[e.key], 2) // "the Foundation"
	}
}

// labelOfNext returns the label of the noun behind the mention at i, which says
// what it is: "the Podolia region", "the Origin competition". A person's follows
// the name of something else: "the Rovers player".
func (s *sentence) labelOfNext(i int) string {
	label := nounLabels[s.word(i+1)]
	if label == person || label == work || s.items[i].possessive || !s.is(i-1, "the") || s.named(i+2) {
		return ""
	}
	return label
}

// labelOfExamples returns the label of the noun whose examples start with the
// mention at i: "films such as X", "including the actors X".
func (s *sentence) labelOfExamples(i int) string {
	if s.items[i].possessive {
		return ""
	}
	j := i - 1
	switch {
	case s.is(j, "as") && s.is(j-1, "such"):
		j -= 2
	case s.is(j, "including"), s.is(j, "like"), s.is(j, "include"), s.is(j, "included"), s.is(j, "namely"):
		j--
	default:
		return ""
	}
	if s.is(j, ",") {
		j--
	}
	return labelOfPlural(s.word(j))
}

// labelOfPlural returns the label of a noun in the plural, or "".
func labelOfPlural(noun string) string {
	if len(noun) < 4 || noun[len(noun)-1] != 's' {
		return ""
	}
	if n := len(noun); n > 4 && noun[n-3:] == "ies" {
		return labelOfNoun(noun[:n-3] + "y")
	}
	return labelOfNoun(noun[:len(noun)-1])
}

// define votes for the label of what the title names, mention i at the start of
// the sentence, where asides separate it from "is a": "X, also known as Y, is a
// town".
func (s *sentence) define(c *cast, i int) {
	if i > 1 || i == 1 && !articles[s.word(0)] || s.items[i].possessive {
		return
	}
	for j := i + 1; j < len(s.items) && j < i+maxDefinition; j++ {
		w := s.word(j)
		switch {
		case s.is(j, "("):
			j = max(j, s.afterBrackets(j)-1)
		case copulas[w]:
			c.vote(s.items[i].mention, s.labelOfPhrase(j+1), 6)
			return
		case isPast(w) && !callingWords[w] || clauseWords[w] && w != "or" && w != "and" && w != "as":
			return
		}
	}
}

// maxDefinition bounds the items between a name and the "is a" that defines it.
const maxDefinition = 24
