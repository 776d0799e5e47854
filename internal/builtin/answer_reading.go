package builtin

import (
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// reading is a question matched against the passages of a search.
type reading struct {
	search
	bundles  []bundle
	evidence []int  // propositions of the bundles and what goes on from them, in reading order
	verdict  string // yes or no, where the question asks for it
}

// read matches a question against passages. It is a pure function.
func read(text string, passages []domain.Passage) *reading {
	r := readOnly(text, passages)
	return readIn(r.findings, r.question, 0)
}

// readOnly reads a question and passages without looking for evidence.
func readOnly(text string, passages []domain.Passage) *reading {
	f := readFindings(passages)
	return &reading{search: search{f, readQuestion(text, f.nameKeys()), 0}}
}

func readIn(f *findings, q *question, lenience float64) *reading {
	r := &reading{search: search{f, q, lenience}}
	if on, open := r.openOn(); open {
		if bundles := r.introduction(on); len(bundles) > 0 {
			r.take(bundles)
			return r
		}
	}
	r.take(r.evidenceFor())
	return r
}

// take makes bundles the evidence, with what goes on from their answers.
func (r *reading) take(bundles []bundle) {
	r.bundles = bundles
	for _, b := range bundles {
		answer := b.propositions[b.answers]
		for _, i := range b.propositions {
			if i != answer {
				r.add(i)
			}
		}
		r.add(r.antecedent(answer))
		r.add(answer)
		for _, more := range r.goesOn(answer, r.saysHow) {
			r.add(more)
		}
		if r.kind == aVerdict {
			r.verdict = b.says
		}
	}
}

// antecedent returns the proposition that says whom i speaks of: the last one in
// its passage that does not begin with a pronoun either. It is -1 if i begins with
// none.
func (r *reading) antecedent(i int) int {
	if !r.propositions[i].refers() {
		return -1
	}
	for j := i - 1; j >= 0 && r.propositions[j].passage == r.propositions[i].passage; j-- {
		if !r.propositions[j].refers() {
			return j
		}
	}
	return -1
}

// refers reports whether a proposition begins with a pronoun.
func (s *proposition) refers() bool {
	return len(s.parts) > 0 && (pronounsOfPeople[s.parts[0].key] || pronounsOfThings[s.parts[0].key])
}

// add makes a proposition evidence, once.
func (r *reading) add(i int) {
	if i >= 0 && !slices.Contains(r.evidence, i) {
		r.evidence = append(r.evidence, i)
	}
}

// nameKeys returns the keys of all names in the findings.
func (f *findings) nameKeys() map[string]bool {
	keys := map[string]bool{}
	for _, s := range f.propositions {
		for _, n := range s.names {
			keys[n.key] = true
		}
	}
	return keys
}

// answerReader caches recent readings, because one reading grades every passage
// of a search.
type answerReader struct {
	mu     sync.Mutex
	latest []*cached
}

// cached is a reading that is computed once.
type cached struct {
	key     string
	once    sync.Once
	reading *reading
}

// maxCached bounds the cache to the questions likely to be answered at the same
// time.
const maxCached = 8

func (a *answerReader) read(question string, passages []domain.Passage) *reading {
	k := a.keep(keyOf(question, passages))
	k.once.Do(func() { k.reading = read(question, passages) })
	return k.reading
}

func (a *answerReader) keep(key string) *cached {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.latest {
		if k.key == key {
			return k
		}
	}
	k := &cached{key: key}
	a.latest = append(a.latest, k)
	if len(a.latest) > maxCached {
		a.latest = slices.Delete(a.latest, 0, 1)
	}
	return k
}

func keyOf(question string, passages []domain.Passage) string {
	var b strings.Builder
	b.WriteString(question)
	for _, p := range passages {
		b.WriteByte(0)
		b.WriteString(string(p.ID))
	}
	return b.String()
}
