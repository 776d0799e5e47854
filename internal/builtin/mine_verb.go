package builtin

import "strings"

// voice is how a verb connects its subject to what follows.
type voice uint8

const (
	active  voice = iota
	passive       // the agent follows "by"
	copula        // the subject equals what follows
)

// verb is a verb as used in a sentence.
type verb struct {
	voice voice
	past  string // the word for the relation, in lower case
	done  string // the participle of a passive, used if no agent is named
	next  int    // the position after it
}

// verbAt reads the verb group at i: auxiliaries, adverbs and the verb. Anything
// negated or merely possible is not a verb.
func (s *sentence) verbAt(i int) (verb, bool) {
	for ; isAdverb(s.word(i)); i++ {
		if doubts[s.word(i)] {
			return verb{}, false
		}
	}
	i = s.afterAdverbs(i)
	w := s.word(i)
	switch {
	case w == "" || denials[w] || modals[w]:
		return verb{}, false
	case copulas[w]:
		return s.afterBe(i + 1)
	case auxiliaries[w]:
		return s.afterHave(i + 1)
	case isParticiple(w) && s.is(s.afterAdverbs(i+1), "by"), w == "born":
		return verb{passive, simplePast(w), w, i + 1}, true
	case isPast(w) || presents[w]:
		return verb{active, w, w, i + 1}, true
	}
	return verb{}, false
}

// afterBe reads what follows a form of "be": a passive or a copula.
func (s *sentence) afterBe(i int) (verb, bool) {
	i = s.afterAdverbs(i)
	w := s.word(i)
	switch {
	case denials[w]:
		return verb{}, false
	case w == "being" || w == "been":
		return s.afterBe(i + 1)
	case isParticiple(w):
		return verb{passive, simplePast(w), w, i + 1}, true
	case strings.HasSuffix(w, "ing") && len(w) > 4:
		return verb{}, false
	}
	return verb{copula, "", "", i}, true
}

// afterHave reads what follows the auxiliary "have".
func (s *sentence) afterHave(i int) (verb, bool) {
	i = s.afterAdverbs(i)
	switch w := s.word(i); {
	case w == "been":
		return s.afterBe(i + 1)
	case isParticiple(w):
		return verb{active, simplePast(w), w, i + 1}, true
	}
	return verb{}, false
}

// isPast reports whether a word is in the past tense.
func isPast(word string) bool {
	if _, ok := irregularPast[word]; ok {
		return true
	}
	return isRegularPast(word)
}

// isParticiple reports whether a word can follow "was" in a passive.
func isParticiple(word string) bool {
	if _, ok := irregularParticiple[word]; ok {
		return true
	}
	return isRegularPast(word)
}

func isRegularPast(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "ed") && !notPast[word] && !strings.HasSuffix(word, "eed")
}

// simplePast returns the past tense of a participle's verb.
func simplePast(participle string) string {
	if past, ok := irregularParticiple[participle]; ok {
		return past
	}
	return participle
}
