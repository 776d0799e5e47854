package retrieve

import (
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// holdings keeps which words passages hold: questions find the same ones again and
// again, and reading their texts costs more than all else that ordering them takes.
type holdings struct {
	mu    sync.Mutex
	words *words.Vocabulary
	of    map[int32][]int32 // by chunk, in ascending order
	kept  int
}

func newHoldings() *holdings {
	return &holdings{words: words.NewVocabulary(), of: map[int32][]int32{}}
}

// The most that holdings keep: numbers of four bytes, and words of about a hundred.
const (
	maxHeld       = 2 << 20
	maxVocabulary = 1 << 17
)

// full reports whether there is no room for more.
func (h *holdings) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept > maxHeld || h.words.Len() > maxVocabulary
}

// heldWords returns the holdings of the snapshot, or new ones if those are full. A search
// uses the same to its end.
func (s *snapshot) heldWords() *holdings {
	h := s.held.Load()
	if h == nil || h.full() {
		fresh := newHoldings()
		if !s.held.CompareAndSwap(h, fresh) {
			return s.held.Load()
		}
		return fresh
	}
	return h
}

// missing returns the chunks whose words are not kept.
func (h *holdings) missing(chunks []int32) []int32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var unread []int32
	for _, c := range chunks {
		if _, ok := h.of[c]; !ok {
			unread = append(unread, c)
		}
	}
	return unread
}

// add keeps the words of a chunk.
func (h *holdings) add(chunk int32, p domain.Passage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := append(h.words.Numbers(p.Title), h.words.Numbers(p.Text)...)
	slices.Sort(held)
	held = slices.Clip(slices.Compact(held))
	if _, ok := h.of[chunk]; !ok {
		h.kept += len(held)
	}
	h.of[chunk] = held
}

// maxTerms is how many words of a question are told apart, its first.
const maxTerms = 64

// terms returns the numbers of the words of a question.
func (h *holdings) terms(text string) []int32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	terms := h.words.Numbers(text)
	return terms[:min(len(terms), maxTerms)]
}

// among returns which of the terms a chunk holds: a bit for each, in their order. It
// holds none if its words are not kept.
func (h *holdings) among(chunk int32, terms []int32) (set uint64) {
	h.mu.Lock()
	held := h.of[chunk]
	h.mu.Unlock()
	for b, term := range terms {
		if _, ok := slices.BinarySearch(held, term); ok {
			set |= 1 << b
		}
	}
	return set
}
