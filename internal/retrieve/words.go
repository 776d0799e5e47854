package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Limits of looking words up.
const (
	mostAsked   = 8    // words of a question
	shortest    = 4    // letters of a word that is no name
	mostCounted = 2000 // passages that hold a word
	mostRead    = 4000 // passages that are read for words that are spelt like one
	readAtOnce  = 200
	mostMeant   = 8 // of these words, counted
)

// Words tells how the content words of a question occur in the documents, none meaning
// all, and what those may have been meant for that no document has.
func (r *Retriever) Words(ctx context.Context, w domain.WorkspaceID, question string, documents []domain.DocumentID) (domain.Words, error) {
	snap, err := r.snapshots.Get(ctx, w)
	if err != nil {
		return domain.Words{}, err
	}
	l := wordCount{Retriever: r, ctx: ctx, workspace: w, snapshot: snap, documents: documents}
	out := domain.Words{Words: []domain.AskedWord{}}
	seen := map[string]bool{}
	unknown := false
	for _, t := range prose.Words(question) {
		key := prose.Key(t.Text)
		short := utf8.RuneCountInString(key) < shortest && !prose.IsCapitalised(t.Text) && !strings.ContainsFunc(key, unicode.IsDigit)
		if prose.IsSmallWord(t.Text) || seen[key] || short || len(out.Words) == mostAsked {
			continue
		}
		seen[key] = true
		n, err := l.count(t.Text)
		if err != nil {
			return domain.Words{}, err
		}
		unknown = unknown || n == 0
		out.Words = append(out.Words, domain.AskedWord{Text: t.Text, Documents: n})
	}
	if unknown {
		if err := l.guess(out.Words); err != nil {
			return domain.Words{}, err
		}
	}
	slices.SortStableFunc(out.Words, func(a, b domain.AskedWord) int { return cmp.Compare(a.Documents, b.Documents) })
	return out, nil
}

// wordCount looks words up in a workspace.
type wordCount struct {
	*Retriever
	ctx       context.Context
	workspace domain.WorkspaceID
	snapshot  *snapshot
	documents []domain.DocumentID
}

// count returns in how many documents a word is.
func (l wordCount) count(word string) (int, error) {
	hits, err := l.Index.Lexical(l.ctx, l.workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: word, Limit: mostCounted, Documents: l.documents})
	in := map[domain.DocumentID]bool{}
	for _, h := range hits {
		if i, ok := l.snapshot.chunk[domain.ChunkID(h.ID)]; ok {
			in[l.snapshot.chunks[i].Document] = true
		}
	}
	return len(in), err
}

// guess sets what the words that no document has may have been meant for: of the words
// one letter apart the one in most documents.
func (l wordCount) guess(words []domain.AskedWord) error {
	like, err := l.spelt(words)
	if err != nil {
		return err
	}
	for i := range words {
		word := &words[i]
		if word.Documents > 0 {
			continue
		}
		near := like[i]
		for _, name := range l.snapshot.spelt.near(prose.Key(word.Text)) {
			if !slices.Contains(near, name) && utf8.RuneCountInString(name) >= longEnough {
				near = append(near, name)
			}
		}
		for _, right := range near[:min(len(near), mostMeant)] {
			n, err := l.count(right)
			if err != nil {
				return err
			}
			if n > word.MeantIn {
				word.Meant, word.MeantIn = spelledLike(right, word.Text), n
			}
		}
	}
	return nil
}

// spelledLike returns a word in lower case with the capital of another.
func spelledLike(word, other string) string {
	if first, size := utf8.DecodeRuneInString(word); prose.IsCapitalised(other) {
		return string(unicode.ToUpper(first)) + word[size:]
	}
	return word
}

// spelt returns, for each of the words that no document has, those in the texts that are
// one letter apart.
func (l wordCount) spelt(words []domain.AskedWord) (map[int][]string, error) {
	var ids []domain.ChunkID
	for _, c := range l.snapshot.chunks {
		if len(l.documents) == 0 || slices.Contains(l.documents, c.Document) {
			ids = append(ids, c.ID)
		}
	}
	like, seen := map[int][]string{}, map[string]bool{}
	for batch := range slices.Chunk(ids[:min(len(ids), mostRead)], readAtOnce) {
		passages, err := l.Texts.Passages(l.ctx, l.workspace, batch)
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			for text := range strings.FieldsFuncSeq(p.Text, func(r rune) bool { return !unicode.IsLetter(r) }) {
				if !seen[text] {
					seen[text] = true
					addLike(like, words, prose.Key(text))
				}
			}
		}
	}
	return like, nil
}

// addLike adds a word of a text to those that are like the words that no document has.
func addLike(like map[int][]string, words []domain.AskedWord, key string) {
	if utf8.RuneCountInString(key) < longEnough {
		return
	}
	for i, w := range words {
		if w.Documents == 0 && oneLetterApart(prose.Key(w.Text), key) && !slices.Contains(like[i], key) {
			like[i] = append(like[i], key)
		}
	}
}

// The letters that a word must have to be taken for another: by itself, and next
// to words that are spelt right.
const surelyLong, longEnough = 7, 5

// misspelt returns the names that a text mentions with one letter wrong: missing,
// added, changed, or swapped with its neighbour. A capitalised word that occurs in
// no name is read as each word of a name that differs so, and counts if it
// completes a name.
func (s *snapshot) misspelt(text string) []int32 {
	words := prose.Words(text)
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = prose.Key(w.Text)
	}
	var found []int32
	for i, w := range words {
		if !prose.IsCapitalised(w.Text) || prose.IsStopWord(w.Text) || utf8.RuneCountInString(keys[i]) < longEnough || s.spelt.has(keys[i]) {
			continue
		}
		wrong := keys[i]
		for _, right := range s.spelt.near(wrong) {
			keys[i] = right
			for from := max(0, i-s.longest+1); from <= i; from++ {
				names, n := s.longestRun(words[from:], keys[from:], false)
				if from+n > i && (n > 1 || utf8.RuneCountInString(right) >= surelyLong) {
					found = append(found, names...)
					break
				}
			}
		}
		keys[i] = wrong
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// oneLetterApart reports whether one letter makes the difference between two
// words that begin alike.
func oneLetterApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == "" || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if i == len(a) {
		return len(a) < len(b)
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	return swapped || a[i+1:] == b[i+1:]
}

// spellings are the words of keys of names.
type spellings struct {
	all map[string]bool
	by  map[start][]string
}

// start is what words have in common that may be one letter apart.
type start struct {
	letter byte // the first
	length int  // or one more or less
}

func newSpellings(keys map[string][]int32) *spellings {
	s := &spellings{all: make(map[string]bool, len(keys)), by: map[start][]string{}}
	for key := range keys {
		for word := range strings.SplitSeq(key, " ") {
			if word == "" || s.all[word] {
				continue
			}
			s.all[word] = true
			k := start{word[0], len(word)}
			s.by[k] = append(s.by[k], word)
		}
	}
	return s
}

func (s *spellings) has(word string) bool { return s.all[word] }

// near returns the words that are one letter apart from one that is not empty.
func (s *spellings) near(wrong string) (near []string) {
	for length := len(wrong) - 1; length <= len(wrong)+1; length++ {
		for _, right := range s.by[start{wrong[0], length}] {
			if oneLetterApart(wrong, right) {
				near = append(near, right)
			}
		}
	}
	return near
}
