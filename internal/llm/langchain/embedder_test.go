package langchain

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

func embedderOf(t *testing.T, s *llmtest.Server, c Config) *Embedder {
	t.Helper()
	c.Provider, c.BaseURL, c.Model = OpenAI, s.URL, "embedder"
	e, err := NewEmbedder(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEmbedInBatchesAndInOrder(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Embedding, llmtest.Reordered(2, 0, 1), llmtest.Reordered(1, 0))
	texts := []string{"the first\ntext", "a second one", "and a third", "then the fourth", "the last"}
	given := append([]string{}, texts...)
	got, err := embedderOf(t, s, Config{Batch: 3}).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := llmtest.Embedder{}.Embed(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("vectors (-want +got):\n%.500s", diff)
	}
	if diff := cmp.Diff(given, texts); diff != "" {
		t.Errorf("the texts were changed:\n%s", diff)
	}
	sent := s.Requests(llmtest.Embedding)
	if len(sent) != 2 || len(sent[0].Inputs) != 3 || sent[0].Inputs[0] != given[0] || sent[0].Model != "embedder" {
		t.Errorf("sent %d requests, the first %v", len(sent), sent[0].Inputs)
	}
}

func TestEmbedNothing(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	got, err := embedderOf(t, s, Config{}).Embed(t.Context(), nil)
	if err != nil || len(got) != 0 || s.Calls(llmtest.Embedding) != 0 {
		t.Errorf("%v, %v, %d calls", got, err, s.Calls(llmtest.Embedding))
	}
}

func TestVectorsHaveUnitLength(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Embedding, llmtest.Vectors([]float32{3, 4}))
	got, err := embedderOf(t, s, Config{}).Embed(t.Context(), []string{"a"})
	if err != nil || fmt.Sprint(got) != "[[0.6 0.8]]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestEmbeddingFaults(t *testing.T) {
	t.Parallel()
	item := func(index int, vector string) string {
		return fmt.Sprintf(`{"index":%d,"embedding":%s}`, index, vector)
	}
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		fault llm.Fault
		says  string
	}{
		"too few":            {llmtest.Vectors([]float32{1, 0}), llm.BadAnswer, "1 vectors for 2 texts"},
		"the same index":     {llmtest.Raw(`{"data":[` + item(0, "[1]") + "," + item(0, "[1]") + `]}`), llm.BadAnswer, "numbered wrongly"},
		"an index beyond":    {llmtest.Raw(`{"data":[` + item(0, "[1]") + "," + item(9, "[1]") + `]}`), llm.BadAnswer, "numbered wrongly"},
		"two dimensions":     {llmtest.Vectors([]float32{1, 0}, []float32{1, 0, 0}), llm.BadAnswer, "vectors of 2 and of 3"},
		"an empty vector":    {llmtest.Vectors([]float32{}, []float32{}), llm.BadAnswer, "empty vector"},
		"a vector of zeroes": {llmtest.Vectors([]float32{0, 0}, []float32{1, 0}), llm.BadAnswer, "without a direction"},
		"an error in a 200":  {llmtest.Raw(`{"error":{"message":"busy","code":"503"}}`), llm.ServerFailed, "busy"},
		"401":                {llmtest.Unauthorized(), llm.Refused, "EMBED_API_KEY"},
		"429":                {llmtest.TooMany("3"), llm.RateLimited, "wait 3s"},
		"HTML":               {llmtest.HTML(), llm.Misdirected, "EMBED_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Embedding, tt.reply)
			_, err := embedderOf(t, s, Config{}).Embed(t.Context(), []string{"a", "b"})
			if fault := faultOf(t, err); fault.Fault != tt.fault || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("fault %q, want %q with %q: %v", fault.Fault, tt.fault, tt.says, err)
			}
		})
	}
}

// TestDimensionMayChangeBetweenCalls and not within one, however many batches it has.
func TestDimensionMayChangeBetweenCalls(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Embedding, llmtest.Vectors([]float32{1, 0}), llmtest.Vectors([]float32{1, 0, 0}), llmtest.Vectors([]float32{1, 0}), llmtest.Vectors([]float32{1, 0, 0}))
	e := embedderOf(t, s, Config{Batch: 1})
	for n, text := range []string{"a", "b"} {
		if got, err := e.Embed(t.Context(), []string{text}); err != nil || len(got[0]) != n+2 {
			t.Errorf("%s: got %v, error %v", text, got, err)
		}
	}
	if _, err := e.Embed(t.Context(), []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "vectors of 2 and of 3 numbers") {
		t.Errorf("two dimensions in one call: %v", err)
	}
}

// TestVectorsThatAreNone are refused in words.
func TestVectorsThatAreNone(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		`{"data":[{"index":0,"embedding":[]}]}`:          "an empty vector",
		`{"data":[{"index":0,"embedding":[0,0,0]}]}`:     "without a direction",
		`{"data":[{"index":0,"embedding":[0.1,null]}]}`:  "without a direction",
		`{"data":[{"index":0,"embedding":null}]}`:        "without a direction",
		`{"data":[{"index":0,"embedding":[1e39,1]}]}`:    "does not come from a model",
		`{"data":[{"index":0,"embedding":[NaN,1]}]}`:     "does not come from a model",
		`{"data":[{"index":0,"embedding":[3e38,3e38]}]}`: "",
		`{"data":[{"index":0}]}`:                         "an empty vector",
		`{"data":[]}`:                                    "0 vectors for 1 texts",
	} {
		s := llmtest.New(t)
		s.On(llmtest.Embedding, llmtest.Raw(body))
		_, err := embedderOf(t, s, Config{}).Embed(t.Context(), []string{"a"})
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", body, err, says)
		}
	}
}
