package measure

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
)

// A ChunkingScore measures how well passages with the expected words are found when
// files are cut in one way. Passages of different lengths are compared by tokens:
// what a model would be given.
type ChunkingScore struct {
	By        domain.ChunkBy `json:"by"`
	Tokens    int            `json:"tokens"` // most in a chunk
	Documents int            `json:"documents"`
	Chunks    int            `json:"chunks"`
	Mean      float64        `json:"mean_tokens"` // of a chunk
	Questions int            `json:"questions"`
	First5    float64        `json:"first_5"`    // share of the questions with the expected words among the first five
	First640  float64        `json:"first_640"`  // among the first 640 tokens
	First1280 float64        `json:"first_1280"` // among the first 1,280 tokens
	MRR       float64        `json:"mrr"`
}

// The tokens within which the expected words are looked for.
const fewTokens, someTokens = 640, 1280

// Chunking ingests the files named in a folder, cut by how, and searches by the
// method default for its questions of one half. Files that are absent are left out
// with their questions.
func Chunking(ctx context.Context, p Params, dir, half string, how domain.Chunking) (ChunkingScore, error) {
	s := ChunkingScore{By: how.By, Tokens: how.Tokens}
	questions, err := readLines[FileQuestion](filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		return s, err
	}
	var read FileScore
	l, missing, err := readFiles(ctx, p, dir, how, &read)
	if err != nil {
		return s, err
	}
	s.Documents = read.Documents
	r := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: p.Now})
	tokens := 0
	err = l.Ledger.EachChunk(ctx, workspace, func(p domain.Passage) error {
		s.Chunks, tokens = s.Chunks+1, tokens+p.Tokens
		return nil
	})
	if err != nil {
		return s, err
	}
	s.Mean = float64(tokens) / float64(max(1, s.Chunks))
	for _, q := range questions {
		if q.half() != half || q.Source == "" || missing[q.Source] || len(q.Expected) == 0 {
			continue
		}
		found, err := r.Retrieve(ctx, workspace, retrieve.Query{Text: q.Text, Limit: depth})
		if err != nil {
			return s, err
		}
		ids := make([]domain.ChunkID, len(found.Passages))
		for i, f := range found.Passages {
			ids[i] = f.Chunk
		}
		passages, err := l.Ledger.Passages(ctx, workspace, ids)
		if err != nil {
			return s, err
		}
		s.count(q, passages)
	}
	if n := float64(s.Questions); n > 0 {
		s.First5, s.First640, s.First1280, s.MRR = s.First5/n, s.First640/n, s.First1280/n, s.MRR/n
	}
	return s, nil
}

// count counts a question with the passages that were found, best first.
func (s *ChunkingScore) count(q FileQuestion, passages []domain.Passage) {
	s.Questions++
	tokens := 0
	for i, p := range passages {
		tokens += p.Tokens
		if p.Name != q.Source || !q.expectedIn(p.Text) {
			continue
		}
		s.MRR += 1 / float64(i+1)
		if i < 5 {
			s.First5++
		}
		if tokens <= fewTokens {
			s.First640++
		}
		if tokens <= someTokens {
			s.First1280++
		}
		return
	}
}

// expectedIn reports whether a text contains what an answer must contain.
func (q FileQuestion) expectedIn(text string) bool {
	text = oneSpace(text)
	for _, words := range q.Expected {
		if strings.Contains(text, oneSpace(words)) {
			return true
		}
	}
	return false
}
