package builtin

// apposition reads a description behind the name at i: "X, editor of Y,".
func (r *relationReader) apposition(i int) {
	if r.items[i].possessive || !r.is(i+1, ",") || r.word(i+2) == "" || !r.describes(i+2) {
		return
	}
	head, j := r.nounPhrase(i + 2)
	if head == "" || vague[head] || !rolePrepositions[r.word(j)] || isPast(head) {
		return
	}
	target, next, ok := r.target(j + 1)
	if !ok || !r.closes(next) {
		return
	}
	r.state(r.who(i), head+" "+r.word(j), target, nil)
}

// describes reports whether a description can start at i: with an article, or
// with the bare noun of an office.
func (r *relationReader) describes(i int) bool {
	w := r.word(i)
	return articles[w] || labelOfNoun(w) == person || kin[w]
}

// closes reports whether an aside ends at i.
func (r *relationReader) closes(i int) bool {
	return i >= len(r.items) || r.is(i, ",") || r.is(i, ".") || r.is(i, ";") || r.is(i, ")")
}

// genitive reads "X's widow, Y" and "X's film Y" with X at i.
func (r *relationReader) genitive(i int) {
	if !r.items[i].possessive {
		return
	}
	r.inclusion(r.who(i), i+1)
	j := i + 1
	noun := ""
	for ; j < i+4 && r.word(j) != "" && !prepositions[r.word(j)] && !clauseWords[r.word(j)] && !isPast(r.word(j)); j++ {
		noun = r.word(j)
	}
	r.ownedBy(noun, j, r.who(i))
}

// ownedBy states that the name at j, or after the comma at j, is the noun of
// owner.
func (r *relationReader) ownedBy(noun string, j, owner int) {
	if !kin[noun] && labelOfNoun(noun) != work {
		return
	}
	if r.is(j, ",") {
		j++
		if !r.named(j) || !r.closes(j+1) {
			return
		}
	}
	if r.named(j) && !r.items[j].possessive {
		r.state(r.who(j), noun+" of", owner, nil)
	}
}

// inclusion reads what owner has from i on: "films include A and B".
func (r *relationReader) inclusion(owner, i int) {
	if v, ok := r.enumeration(i); ok {
		g := &governed{relationReader: r, subjects: []int{owner}, verb: v}
		g.complements(v.next)
	}
}

// enumeration reads a noun and the verb that enumerates: "lineup consists".
func (r *relationReader) enumeration(i int) (verb, bool) {
	noun := ""
	for j := i; j < i+8 && r.word(j) != ""; j++ {
		w := r.word(j)
		switch {
		case noun != "" && including[w]:
			return verb{active, noun + " " + w, "", j + 1}, true
		case prepositions[w] || clauseWords[w] && w != "and" || copulas[w] || isPast(w):
			return verb{}, false
		case !isAdverb(w):
			noun = w
		}
	}
	return verb{}, false
}
