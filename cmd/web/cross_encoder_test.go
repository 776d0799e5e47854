package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// crossEncoderServer puts passages in their order backwards, as Jina and vLLM answer, unless it is broken. It counts the calls.
func crossEncoderServer(t *testing.T, broken *atomic.Bool) (address string, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var asked struct{ Documents []string }
		if broken.Load() || json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		type place struct {
			Index int     `json:"index"`
			Score float64 `json:"relevance_score"`
		}
		places := []place{}
		for i := range slices.Backward(asked.Documents) {
			places = append(places, place{i, float64(i)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": places})
	}))
	t.Cleanup(srv.Close)
	return srv.URL, calls
}

// TestACrossEncoderNeedsNoModel: without a model it puts what is found in order, unless a question or an evaluation does
// without. If it fails, the question is answered all the same.
func TestACrossEncoderNeedsNoModel(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	address, calls := crossEncoderServer(t, &broken)
	sh := newShell(t, "RERANK_BASE_URL="+address, "RERANK_MODEL=cross")
	dir := t.TempDir()
	sh.must(t, "ingest", file(t, dir, "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."),
		file(t, dir, "bells.txt", "The Carrow Foundry cast the bells of Velm in 1880."), file(t, dir, "bridge.txt", "The Carrow Foundry cast the railings of the Copper Bridge."))
	sh.must(t, "eval", "questions", "add", "Who founded the Carrow Foundry?", "--answer", "Maud Ferring")
	const question = "Who founded the Carrow Foundry?"
	for _, tt := range []struct {
		args []string
		asks bool
		says string
	}{
		{[]string{"ask", question}, true, "Maud Ferring"},
		{[]string{"ask", "--rerank", question}, true, "Maud Ferring"},
		{[]string{"ask", "--rerank=false", question}, false, "Maud Ferring"},
		{[]string{"ask", "--method", "words", question}, false, "Maud Ferring"},
		{[]string{"eval", "questions", "run"}, true, "first 20 put in order"},
		{[]string{"eval", "questions", "run", "--rerank", "5"}, true, "first 5 put in order"},
		{[]string{"eval", "questions", "run", "--rerank", "0"}, false, ""},
	} {
		before := calls.Load()
		if out := sh.must(t, tt.args...); !strings.Contains(out, tt.says) || (calls.Load() > before) != tt.asks {
			t.Errorf("clew %s asks the cross-encoder %d times and prints %q", strings.Join(tt.args, " "), calls.Load()-before, out)
		}
	}
	broken.Store(true)
	if out := sh.must(t, "ask", question); !strings.Contains(out, "Maud Ferring") {
		t.Errorf("with a broken cross-encoder it answers %q", out)
	}
}
