package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Limits of looking words up.
const (
	mostAsked   = 8    // words of a question
	shortest    = 4    // letters of a word that is not a name
	mostCounted = 2000 // passages that contain a word
	mostRead    = 4000 // passages that are read to find words spelt similarly
	readAtOnce  = 200
	mostMeant   = 8 // of these words, counted
)

// Words reports how the content words of a question occur in the documents (all of them if none are given), and what
// the missing ones may have meant.
func (r *Retriever) Words(ctx context.Context, w domain.WorkspaceID, question string, documents []domain.DocumentID) (domain.Words, error) {
	l := wordCount{Retriever: r, ctx: ctx, workspace: w, documents: documents}
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
	documents []domain.DocumentID
}

// count returns in how many documents a word is.
func (l wordCount) count(word string) (int, error) {
	hits, err := l.Index.Lexical(l.ctx, l.workspace, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: word, Limit: mostCounted, Documents: l.documents})
	if err != nil || len(hits) == 0 {
		return 0, err
	}
	ids := make([]domain.ChunkID, len(hits))
	for i, h := range hits {
		ids[i] = domain.ChunkID(h.ID)
	}
	chunks, err := l.Graph.Chunks(l.ctx, l.workspace, graphstore.ChunkQuery{IDs: ids})
	in := lists.SetOf(chunks, func(c graphstore.AdjacentChunk) domain.DocumentID { return c.Document })
	return len(in), err
}

// guess sets what the words that no document has may have been meant for: of the words
// one letter apart the one in most documents.
func (l wordCount) guess(words []domain.AskedWord) error {
	like, err := l.inTexts(words)
	if err != nil {
		return err
	}
	var unknown []string
	for _, word := range words {
		if key := prose.Key(word.Text); word.Documents == 0 && !strings.Contains(key, " ") {
			unknown = append(unknown, key)
		}
	}
	at, err := l.stateOf(l.ctx, l.workspace)
	if err != nil {
		return err
	}
	names, err := l.spelt(l.ctx, l.workspace, at, unknown)
	if err != nil {
		return err
	}
	for i := range words {
		word := &words[i]
		if word.Documents > 0 {
			continue
		}
		near := like[i]
		for _, name := range names {
			if graphstore.OneLetterApart(prose.Key(word.Text), name) && !slices.Contains(near, name) && utf8.RuneCountInString(name) >= longEnough {
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

// inTexts returns, for each of the words that no document has, those in the texts that are
// one letter apart.
func (l wordCount) inTexts(words []domain.AskedWord) (map[int][]string, error) {
	chunks, err := l.Graph.Chunks(l.ctx, l.workspace, graphstore.ChunkQuery{Documents: l.documents, Limit: mostRead})
	if err != nil {
		return nil, err
	}
	ids := make([]domain.ChunkID, len(chunks))
	for i, c := range chunks {
		ids[i] = c.ID
	}
	like, seen := map[int][]string{}, map[string]bool{}
	for batch := range slices.Chunk(ids, readAtOnce) {
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
		if w.Documents == 0 && graphstore.OneLetterApart(prose.Key(w.Text), key) && !slices.Contains(like[i], key) {
			like[i] = append(like[i], key)
		}
	}
}
