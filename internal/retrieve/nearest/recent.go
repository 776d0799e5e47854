package nearest

import (
	"slices"
	"sync"
)

// recents is how many rankings are kept: about as many as questions are answered at
// the same time.
const recents = 8

// Recent keeps the latest rankings, because a question is graded passage by passage
// among the same ones. It is safe for concurrent use.
type Recent struct {
	mu     sync.Mutex
	latest []*ranking
}

// ranking is made once.
type ranking struct {
	key       string
	mu        sync.Mutex
	made      bool
	sentences []Sentence
}

// get returns the ranking of a key, made by rank unless it is kept. A failure is not kept.
func (r *Recent) get(key string, rank func() ([]Sentence, error)) ([]Sentence, error) {
	one := r.find(key)
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.made {
		sentences, err := rank()
		if err != nil {
			return nil, err
		}
		one.sentences, one.made = sentences, true
	}
	return slices.Clone(one.sentences), nil
}

func (r *Recent) find(key string) *ranking {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.latest, func(k *ranking) bool { return k.key == key })
	if i < 0 {
		i = len(r.latest)
		r.latest = append(r.latest, &ranking{key: key})
	}
	one := r.latest[i]
	r.latest = append(slices.Delete(r.latest, i, i+1), one)
	r.latest = r.latest[max(0, len(r.latest)-recents):]
	return one
}
