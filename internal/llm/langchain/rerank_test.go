package langchain

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

// crossEncoder is a server whose answers are made from what it is asked.
func crossEncoder(t *testing.T, answer func(path string, body map[string]any) (int, string)) (llm.Reranker, *atomic.Int32) {
	t.Helper()
	calls := new(atomic.Int32)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Authorization") != "Bearer key-of-reranker" {
			t.Errorf("%v, header %q", err, r.Header.Get("Authorization"))
		}
		status, text := answer(r.URL.Path, body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(srv.Close)
	r, err := NewReranker(Config{Provider: OpenAI, BaseURL: srv.URL + "/v1/rerank", Key: "key-of-reranker", Model: "cross"})
	if err != nil {
		t.Fatal(err)
	}
	return r, calls
}

// TestCrossEncodersPutTextsInOrder in the form of each server.
func TestCrossEncodersPutTextsInOrder(t *testing.T) {
	t.Parallel()
	byDocuments := func(answer string) func(string, map[string]any) (int, string) {
		return func(path string, body map[string]any) (int, string) {
			if documents, ok := body["documents"].([]any); path != "/v1/rerank" || !ok || len(documents) != 3 || body["top_n"] != 3.0 || body["model"] != "cross" || body["query"] != "why" {
				return 400, `{"message":"not that form"}`
			}
			return 200, answer
		}
	}
	for name, tt := range map[string]struct {
		answer        func(string, map[string]any) (int, string)
		tokens, calls int
	}{
		"Cohere":           {byDocuments(`{"id":"x","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.4},{"index":1,"relevance_score":0.1}],"meta":{"billed_units":{"search_units":1}}}`), 0, 2},
		"Jina":             {byDocuments(`{"model":"cross","usage":{"total_tokens":17},"results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":-0.4},{"index":1,"relevance_score":-2}]}`), 17, 2},
		"vLLM, not sorted": {byDocuments(`{"id":"x","model":"cross","usage":{"total_tokens":5},"results":[{"index":0,"document":{"text":"a"},"relevance_score":0.4},{"index":1,"document":{"text":"b"},"relevance_score":0.1},{"index":2,"document":{"text":"c"},"relevance_score":0.9}]}`), 5, 2},
		"Text Embeddings Inference": {func(_ string, body map[string]any) (int, string) {
			if body["texts"] == nil {
				return 422, "Failed to deserialize the JSON body into the target type: missing field `texts`"
			}
			return 200, `[{"index":2,"score":0.9},{"index":0,"score":0.4},{"index":1,"score":0.1}]`
		}, 0, 3}, // its form is found out once
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, calls := crossEncoder(t, tt.answer)
			for range 2 {
				order, tokens, err := r.Rerank(t.Context(), "why", []string{"a", "b", "c"})
				if err != nil || !slices.Equal(order, []int{2, 0, 1}) || tokens != tt.tokens {
					t.Errorf("order %v, %d tokens, %v", order, tokens, err)
				}
			}
			if int(calls.Load()) != tt.calls {
				t.Errorf("%d calls, want %d", calls.Load(), tt.calls)
			}
		})
	}
}

// TestCrossEncodersThatFail are told apart, and their key is told nobody.
func TestCrossEncodersThatFail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		answer string
		fault  llm.Fault
	}{
		"a wrong key":         {401, `{"message":"invalid api token key-of-reranker"}`, llm.Refused},
		"overloaded":          {503, `{}`, llm.ServerFailed},
		"too often":           {429, `{}`, llm.RateLimited},
		"no such path":        {404, `{}`, llm.Misdirected},
		"no results":          {200, `{"results":[]}`, llm.BadAnswer},
		"a place beyond":      {200, `{"results":[{"index":7,"relevance_score":1}]}`, llm.BadAnswer},
		"a place below":       {200, `[{"index":-1,"score":1}]`, llm.BadAnswer},
		"no score":            {200, `[{"index":0}]`, llm.BadAnswer},
		"nothing":             {200, ``, llm.BadAnswer},
		"refused in any form": {400, `{"message":"too long"}`, llm.BadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := crossEncoder(t, func(string, map[string]any) (int, string) { return tt.status, tt.answer })
			_, _, err := r.Rerank(t.Context(), "why", []string{"a", "b"})
			failed, ok := errors.AsType[*llm.Error](err)
			if !ok || failed.Fault != tt.fault || strings.Contains(err.Error(), "key-of-reranker") {
				t.Errorf("%v, want a fault %q", err, tt.fault)
			}
		})
	}
}
