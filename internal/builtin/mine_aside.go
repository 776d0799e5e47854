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

// bornIn reads "X (born 1945 in Y)" with X at i.
func (r *relationReader) bornIn(i int) {
	if !r.is(i+1, "(") || !r.is(i+2, "born") {
		return
	}
	end := r.afterBrackets(i + 1)
	for j := i + 3; j < end-1; j++ {
		if r.is(j, "in") && r.named(j+1) {
			r.state(r.who(i), "born in", r.who(j+1), nil)
			return
		}
	}
}
