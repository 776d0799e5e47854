package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// role is the grammatical role of a name: subject or object of a verb.
type role int

const (
	unknownRole role = iota
	agent
	patient
)

type stretch struct{ from, to int }

// roleOf returns the role of a name for the verb at token v, judged by the
// words between them. "Ann built", "was built by Ann" and "built Ann" are
// clear; most others are unknown.
func roleOf(tokens []prose.Token, name stretch, v int) role {
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return strings.ToLower(tokens[i].Text)
	}
	if v >= name.to {
		before := name.from - 1
		if determiners[word(before)] {
			before--
		}
		passive := word(v+1) == "by" || beings[word(before)] && v == name.to // "was the bridge built"
		for i := name.to; i < v; i++ {
			switch w := word(i); {
			case beings[w]:
				passive = true
			case !transparent[w] && !relatives[w] && !strings.HasSuffix(w, "ly"):
				return unknownRole
			}
		}
		if passive {
			return patient
		}
		return agent
	}
	if v >= name.from {
		return unknownRole
	}
	by := false
	for i := v + 1; i < name.from; i++ {
		switch w := word(i); {
		case w == "by":
			by = true
		case !determiners[w]:
			return unknownRole
		}
	}
	switch {
	case by:
		return agent
	case beings[word(v-1)] || beings[word(v-2)]:
		return unknownRole
	}
	return patient
}

// agrees reports whether a name has the same role in a proposition as in the
// question, as far as both are known. Every verb of the clause counts.
func (s *search) agrees(st *proposition, cov coverage, c clause, asked, said stretch) bool {
	for _, e := range c.elements {
		if e.key != "" {
			continue
		}
		wanted := roleOf(s.tokens, asked, e.from)
		if wanted != unknownRole && !takes(st, cov.at[e.from], said, wanted) {
			return false
		}
	}
	return true
}

// takes reports whether one of the verbs gives a name the wanted role, or none
// gives it another role or the role to another name.
func takes(st *proposition, verbs []int, name stretch, wanted role) bool {
	differs := false
	for _, v := range verbs {
		if !isPastVerb(st.tokens[v].Text) {
			continue
		}
		switch roleOf(st.tokens, name, v) {
		case wanted:
			return true
		case unknownRole:
			differs = differs || st.gives(v, wanted)
		default:
			differs = true
		}
	}
	return !differs
}

// gives reports whether the verb at token v gives a role to any name.
func (s *proposition) gives(v int, part role) bool {
	return slices.ContainsFunc(s.names, func(n named) bool { return roleOf(s.tokens, stretch{n.from, n.to}, v) == part })
}

// isPastVerb reports whether a word looks like a past-tense verb.
func isPastVerb(word string) bool {
	w := strings.ToLower(word)
	return strings.HasSuffix(w, "ed") && len(w) > 4 || len(irregular[w]) > 0 || samePast[w]
}
