package langchain

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
)

// offers starts a server with an answer for each path, and returns its address and
// what it was asked.
func offers(t *testing.T, answers map[string]string) (address string, asked *[]*http.Request) {
	t.Helper()
	asked = &[]*http.Request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r)
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, answer) //nolint:errcheck // a client that went away
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// TestModelsAreListed reads the lists of several kinds of servers, and how long a
// context is, where it is told.
func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers map[string]string
		listed  []llm.Listed
		b       llm.Listed // what is told of the model b
	}{
		"vLLM": {map[string]string{"/v1/models": `{"data":[{"id":"b","max_model_len":4096},{"id":"a"}]}`},
			[]llm.Listed{{Name: "a"}, {Name: "b", Context: 4096}}, llm.Listed{Name: "b", Context: 4096}},
		"Gemini": {map[string]string{"/v1/models": `{"data":[{"id":"models/b"},{"id":""}]}`}, []llm.Listed{{Name: "b"}}, llm.Listed{Name: "b"}},
		"Ollama": {map[string]string{"/v1/models": `{"data":[{"id":"b","owned_by":"library"}]}`, "/api/show": `{"model_info":{"qwen.context_length":40960,"qwen.block_count":3}}`},
			[]llm.Listed{{Name: "b"}}, llm.Listed{Name: "b", Context: 40960, Cuts: true}},
		"llama.cpp": {map[string]string{"/v1/models": `{"data":[{"id":"b","meta":{"n_ctx_train":131072}}]}`, "/props": `{"default_generation_settings":{"n_ctx":16384}}`},
			[]llm.Listed{{Name: "b"}}, llm.Listed{Name: "b", Context: 16384}},
		"nothing": {map[string]string{"/v1/models": `{"data":[]}`}, nil, llm.Listed{Name: "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := offers(t, tt.answers)
			c := Config{Provider: OpenAI, BaseURL: address + "/v1", Key: "k", Model: "b", Page: true}
			all, err := List(t.Context(), c)
			if diff := cmp.Diff(tt.listed, all); diff != "" || err != nil {
				t.Errorf("error %v\n%s", err, diff)
			}
			if diff := cmp.Diff(tt.b, Describe(t.Context(), c, all)); diff != "" {
				t.Error(diff)
			}
			for _, r := range *asked {
				if r.Header.Get("Authorization") != "Bearer k" {
					t.Errorf("%s has %v", r.URL, r.Header)
				}
			}
		})
	}
	address, asked := offers(t, map[string]string{"/v1/models": `{"data":[{"id":"claude"}]}`})
	if _, err := List(t.Context(), Config{Provider: Anthropic, BaseURL: address + "/v1", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if h := (*asked)[0].Header; h.Get("X-Api-Key") != "k" || h.Get("Anthropic-Version") == "" || h.Get("Authorization") != "" {
		t.Errorf("Anthropic gets %v", h)
	}
	address, asked = offers(t, map[string]string{"/openai/models": `{"data":[]}`})
	if _, err := List(t.Context(), Config{Provider: OpenAI, BaseURL: address + "/openai?api-version=1", Headers: map[string]string{"api-key": "k"}}); err != nil {
		t.Fatal(err)
	}
	if r := (*asked)[0]; r.Header.Get("Api-Key") != "k" || r.URL.RawQuery != "api-version=1" {
		t.Errorf("Azure gets %s %v", r.URL, r.Header)
	}
}

// TestWhatIsConnectedInThePageIsMendedThere meets each failure of a server. What is
// said names the fields of the page, not settings.
func TestWhatIsConnectedInThePageIsMendedThere(t *testing.T) {
	t.Parallel()
	moved := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/401/models":
			http.Error(w, `{"error":{"message":"Incorrect API key provided: quorlibet"}}`, http.StatusUnauthorized)
		case "/403/models":
			http.Error(w, "no", http.StatusForbidden)
		case "/302/models":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/elsewhere":
			moved = true
		case "/html/models":
			io.WriteString(w, "<!doctype html>") //nolint:errcheck // a client that went away
		case "/long/models":
			io.WriteString(w, `{"data":[`+strings.Repeat(" ", maxList)) //nolint:errcheck // as above
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for base, want := range map[string]string{
		server.URL + "/401":             "refused the key (401: Incorrect API key provided: …): check the key.",
		server.URL + "/403":             "check what the key may do",
		server.URL + "/wrong":           "check the address, which usually ends in /v1, and the name of the model.",
		server.URL + "/302":             "redirects to another address (302): set the address to that address.",
		server.URL + "/html":            "answers with a web page instead of a model's answer. Check the address",
		server.URL + "/long":            "is longer than",
		"http://127.0.0.1:1":            "connection refused): check that its server runs and that the address is its address.",
		"http://nowhere.invalid":        "there is no server of that name",
		"http://169.254.169.254/latest": "keep their own credentials at such addresses",
		"http://[fe80::1]":              "keep their own credentials at such addresses",
		secure.URL:                      "its certificate is not trusted on this machine",
		strings.Replace(server.URL, "http:", "https:", 1): "should begin with http://",
	} {
		_, err := List(t.Context(), Config{Provider: OpenAI, BaseURL: base, Key: "quorlibet", Page: true})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "LLM_") || strings.Contains(err.Error(), "quorlibet") {
			t.Errorf("%s: %v\nwant %s", base, err, want)
		}
	}
	if moved {
		t.Error("a redirect was followed")
	}
}
