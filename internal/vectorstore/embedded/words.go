package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clewhq/clew/internal/vectorstore"
)

// maxPostings bounds how many points a query looks at: the sum over its words
// of the points that hold them. Beyond it the commonest words, which tell the
// least, are left out.
const maxPostings = 60_000

// matcher turns a question into a full-text query for any of its words, ""
// when it has no usable one.
func (s *Store) matcher(ctx context.Context, tx *sql.Tx, r room, q vectorstore.LexicalQuery) (string, error) {
	words := contentWords(q.Text)
	counts, err := s.frequencies(r, q.Collection).of(ctx, tx, words)
	if err != nil {
		return "", err
	}
	words = slices.DeleteFunc(words, func(w string) bool { return counts[w] == 0 })
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
	postings := 0
	for i, w := range words {
		postings += counts[w]
		if i > 0 && postings > maxPostings {
			words = words[:i]
			break
		}
	}
	for i, w := range words {
		words[i] = quote(w)
	}
	return strings.Join(words, " OR "), nil
}

// contentWords are the distinct words of text in lower case, without stop
// words, in order.
func contentWords(text string) []string {
	seen := map[string]bool{}
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), isSeparator) {
		if !seen[w] && !isStopWord(w) {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// quote makes a word a string of the full-text query language. Words hold no
// quotation marks.
func quote(word string) string { return `"` + word + `"` }

// wordsKey names a full-text table.
type wordsKey struct {
	workspace  int64
	collection vectorstore.Collection
}

// frequencies remembers how many points hold a word, for one state of a
// full-text table. Counting a common word takes milliseconds.
type frequencies struct {
	table string

	mu     sync.Mutex
	cursor int64
	counts map[string]int
}

// frequencies is the memory of a table as of r.
func (s *Store) frequencies(r room, c vectorstore.Collection) *frequencies {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := wordsKey{r.num, c}
	f := s.words[key]
	if f == nil || f.cursor != r.cursor {
		f = &frequencies{table: wordsTable(r.num, c), cursor: r.cursor, counts: map[string]int{}}
		s.words[key] = f
	}
	return f
}

// of counts the points that hold each of words.
func (f *frequencies) of(ctx context.Context, tx *sql.Tx, words []string) (map[string]int, error) {
	counts := map[string]int{}
	for _, w := range words {
		n, ok := f.get(w)
		if !ok {
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+f.table+` WHERE `+f.table+` MATCH ?`, quote(w)).Scan(&n)
			if err != nil {
				return nil, err
			}
			f.put(w, n)
		}
		counts[w] = n
	}
	return counts, nil
}

// maxCounts bounds the memory of word counts of one table.
const maxCounts = 50_000

func (f *frequencies) get(word string) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.counts[word]
	return n, ok
}

func (f *frequencies) put(word string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.counts) >= maxCounts {
		clear(f.counts)
	}
	f.counts[word] = n
}
