package builtin

import (
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// mostCost is the highest cost of an acceptable chain.
const mostCost = 1.2

// reading is a question matched against the passages of a search.
type reading struct {
	search
	chain    *chain
	bundles  []bundle // without a chain: the bundles that cover most
	evidence []int    // propositions of the chain and their referents, in reading order
	verdict  string   // yes or no, where the question asks for it
}

// read matches a question against passages. It is a pure function.
func read(text string, passages []domain.Passage) *reading {
	f := readFindings(passages)
	return readIn(f, readQuestion(text, f.nameKeys()), 0)
}

func readIn(f *findings, q *question, lenience float64) *reading {
	r := &reading{search: search{f, q, lenience}}
	if on, open := r.openOn(); open {
		if bundles := r.introduction(on); len(bundles) > 0 {
			r.take(bundles)
			return r
		}
	}
	if c := r.best(); c != nil && c.cost <= mostCost && r.kind != aVerdict {
		r.chain = c
		for _, l := range c.links {
			r.cite(l)
		}
		return r
	}
	r.take(r.evidenceFor())
	return r
}

// take makes bundles the evidence, with what goes on from their answers.
func (r *reading) take(bundles []bundle) {
	r.bundles = bundles
	for _, b := range bundles {
		for k, i := range b.propositions {
			r.add(i)
			if k == b.answers {
				for _, more := range r.goesOn(i) {
					r.add(more)
				}
			}
		}
		if r.kind == aVerdict {
			r.verdict = b.says
		}
	}
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

// cite adds a link's proposition, preceded by the one that resolves its
// pronoun.
func (r *reading) cite(l link) {
	r.add(leaningOn(r.propositions[l.proposition].leans, l.leaned))
	r.add(l.proposition)
}

func leaningOn(l *leaning, leaned bool) int {
	if l == nil || !leaned {
		return -1
	}
	return l.where
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
