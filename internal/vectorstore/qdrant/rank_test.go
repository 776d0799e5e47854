package qdrant_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// lines reads at most n lines of JSON of a development set.
func lines[T any](t *testing.T, n int, elements ...string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{"..", "..", "..", "..", "shared", "data", "multihop"}, elements...)...))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the corpus in ../shared is missing")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for d := json.NewDecoder(z); len(all) < n; {
		var line T
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// TestWordsRankAsEmbedded compares the first eight passages of questions with those of
// the embedded index, of a library that grew by eight documents at a time.
func TestWordsRankAsEmbedded(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	type passage struct{ ID, Title, Text string }
	type question struct{ Question string }
	for _, set := range []string{"musique_dev", "hotpotqa", "2wiki"} {
		s, _ := store(t, nil)
		e, err := embedded.Open(t.Context(), filepath.Join(t.TempDir(), "vectors.db"), "")
		if err != nil {
			t.Fatal(err)
		}
		cursor := int64(0)
		for some := range slices.Chunk(lines[passage](t, 1000, set, "passages.jsonl.gz"), 8) {
			b := vectorstore.Batch{After: cursor, Cursor: cursor + 1}
			for _, p := range some {
				b.Upsert = append(b.Upsert, vectorstore.Point{
					Ref: vectorstore.Ref{Collection: vectorstore.Chunks, ID: p.ID}, Document: domain.DocumentID(p.ID), Title: p.Title, Text: p.Text,
				})
			}
			apply(t, s, b)
			apply(t, e, b)
			cursor++
		}
		both, of, differ := 0, 0, 0
		questions := lines[question](t, 40, set, "questions.jsonl.gz")
		for _, q := range questions {
			query := vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: q.Question, Limit: 8}
			want, err := e.Lexical(t.Context(), ws, query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Lexical(t.Context(), ws, query)
			if err != nil {
				t.Fatal(err)
			}
			same := 0
			for _, h := range want {
				if slices.ContainsFunc(got, func(g vectorstore.Hit) bool { return g.ID == h.ID }) {
					same++
				}
			}
			if both, of = both+same, of+len(want); same < len(want) {
				differ++
			}
		}
		t.Logf("%s: %d of %d of the first eight, %d of %d questions differ", set, both, of, differ, len(questions))
		if both*100 < of*95 {
			t.Errorf("%s: %d of the first eight passages of %d are the same, want 95 %%", set, both, of)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
