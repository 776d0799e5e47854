package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// speaks is a library with a server and a token for chat programs.
type speaks struct {
	t           *testing.T
	url, secret string
}

func speak(t *testing.T, environ ...string) (speaks, shell) {
	t.Helper()
	sh := newShell(t, environ...)
	v := sh.serve(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "chat"), "\n")
	return speaks{t, v.url, secret}, sh
}

// post sends a body, and returns the status and the answer.
func (s speaks) post(path, body string) (int, string) {
	s.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewBufferString(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

type completed struct {
	Model   string
	Choices []struct {
		Message struct {
			Content     string
			Annotations []struct {
				Citation struct {
					URL   string
					Title string
					Start int `json:"start_index"`
					End   int `json:"end_index"`
				} `json:"url_citation"`
			}
		}
		Delta struct {
			Role        string
			Content     string
			Annotations []any
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct{ Total int }
	Error *struct{ Message, Type, Code string }
}

func TestChatProgramsAsk(t *testing.T) {
	t.Parallel()
	s, sh := speak(t)
	if status, text := s.post("/v1/models", ""); status != 200 || !strings.Contains(text, `"clew"`) || !strings.Contains(text, `"clew/words"`) {
		t.Errorf("models: %d, %s", status, text)
	}
	for path, want := range map[string]int{"clew": 200, "clew/words": 200, "clew%2Fwords": 200, "gpt-5": 404, "": 404} {
		if status, text := s.post("/v1/models/"+path, ""); status != want || want == 200 && !strings.Contains(text, `"object":"model"`) || want == 404 && !strings.Contains(text, `"model_not_found"`) {
			t.Errorf("model %q: %d, %s", path, status, text)
		}
	}
	_, text := s.post("/v1/chat/completions", `{"model":"clew","temperature":0.2,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Who founded the Carrow Foundry?"}]}]}`)
	var out completed
	if err := json.Unmarshal([]byte(text), &out); err != nil || len(out.Choices) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	said := out.Choices[0].Message
	if !strings.Contains(said.Content, "Maud Ferring") || !strings.Contains(said.Content, "**Sources**") || len(said.Annotations) != 1 || out.Choices[0].FinishReason == nil {
		t.Fatalf("the answer is %s", text)
	}
	cited := said.Annotations[0].Citation
	if mark := string([]rune(said.Content)[cited.Start:cited.End]); mark != "[1]" || !strings.HasPrefix(cited.URL, s.url+library("/documents/")) || !strings.Contains(cited.Title, "foundry.txt") {
		t.Errorf("the mark is %q of %+v", mark, cited)
	}
	// The conversation so far is sent by the client, and makes the question whole.
	conversation, err := json.Marshal(map[string]any{"model": "clew", "messages": []any{
		map[string]string{"role": "user", "content": "Who founded the Carrow Foundry?"}, map[string]string{"role": "assistant", "content": said.Content},
		map[string]string{"role": "user", "content": "When did she found it?"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, text := s.post("/v1/chat/completions", string(conversation)); !strings.Contains(text, "1871") {
		t.Errorf("a question that follows: %s", text)
	}
	if state := sh.must(t, "run", "list", "--kind", "answer"); strings.Count(state, "When did she found it?") != 1 {
		t.Errorf("the runs are %s", state)
	}
	if _, text := s.post("/v1/chat/completions", `{"model":"clew","messages":[{"role":"user","content":"### Task:\nGenerate a concise title.\n### Chat History:\nUSER: Who founded it?\n"}]}`); !strings.Contains(text, `Who founded it?`) || strings.Contains(text, "Sources") {
		t.Errorf("a title: %s", text)
	}
	for body, want := range map[string]string{
		`{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`:                                 `404 model_not_found`,
		`{"model":"clew","messages":[]}`:                                                                `422`,
		`{"model":"clew","messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]}`: `415`,
		`{"model":"clew","messages":[{"role":"user","content":" "}]}`:                                   `422`,
		`{`:                                 `400`,
		`{"model":"clew","messages":"x"}`:   `400`,
		`{"model":"clew","messages":["x"]}`: `400`,
		`{"model":"clew","messages":[{"role":"user","content":5}]}`: `422`,
	} {
		status, text := s.post("/v1/chat/completions", body)
		var refused completed
		if err := json.Unmarshal([]byte(text), &refused); err != nil || refused.Error == nil || refused.Error.Message == "" || strings.Contains(text, "openai.") || strings.Contains(text, "struct") {
			t.Errorf("%s: %d, %s", body, status, text)
			continue
		}
		if got := strings.TrimSpace(http.StatusText(status)); !strings.HasPrefix(want, itoa(status)) || !strings.HasSuffix(want, refused.Error.Code) {
			t.Errorf("%s: %d %s, %+v", body, status, got, *refused.Error)
		}
	}
	if list := sh.must(t, "conversations", "list"); strings.Contains(list, "Carrow") {
		t.Errorf("conversations of programs are listed: %s", list)
	}
	kept := value(t, sh.must(t, "ask", "--json", "Who founded the Carrow Foundry?"), "conversation")
	s.post("/v1/chat/completions", `{"model":"clew","metadata":{"clew_conversation":"`+kept+`"},"messages":[{"role":"user","content":"When did she found it?"}]}`)
	if shown := sh.must(t, "conversations", "show", kept); !strings.Contains(shown, "When did she found it?") {
		t.Errorf("a question in a conversation is missing: %s", shown)
	}
	sh.must(t, "ask", "--temporary", "Where was it founded?")
	if list, runs := sh.must(t, "conversations", "list"), sh.must(t, "run", "list"); strings.Contains(list, "Where was") || !strings.Contains(runs, "Where was") {
		t.Errorf("a temporary question: conversations %s, runs %s", list, runs)
	}
	if _, err := sh.run(t, "ask", "--temporary", "--in", kept, "Where?"); err == nil || !strings.Contains(err.Error(), "of its own") {
		t.Errorf("a temporary question in a conversation: %v", err)
	}
	s.secret = "clew_wrong"
	if status, text := s.post("/v1/models", ""); status != 401 || !strings.Contains(text, "invalid_api_key") {
		t.Errorf("a wrong token: %d, %s", status, text)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestChatProgramsReadAnAnswerAsItIsWritten(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	_, text := s.post("/v1/chat/completions", `{"model":"clew/words","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Who founded the Carrow Foundry?"}]}`)
	var content, role string
	annotations, ends, usages, steps := 0, 0, 0, 0
	parts := strings.Split(strings.TrimSpace(text), "\n\n")
	for _, part := range parts {
		data, ok := strings.CutPrefix(part, "data: ")
		switch {
		case strings.HasPrefix(part, ": step"):
			steps++
			continue
		case !ok || data == "[DONE]":
			continue
		}
		var out completed
		if err := json.Unmarshal([]byte(data), &out); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if out.Usage != nil && len(out.Choices) == 0 {
			usages++
			continue
		}
		d := out.Choices[0].Delta
		content, role, annotations = content+d.Content, role+d.Role, annotations+len(d.Annotations)
		if out.Choices[0].FinishReason != nil {
			ends++
		}
	}
	if role != "assistant" || strings.Count(content, "Maud Ferring founded the Carrow Foundry") != 1 || strings.Count(content, "**Sources**") != 1 || annotations != 1 || ends != 1 || usages != 1 || steps == 0 || parts[len(parts)-1] != "data: [DONE]" {
		t.Errorf("role %q, annotations %d, ends %d, usages %d, steps %d, content %q\n%s", role, annotations, ends, usages, steps, content, text)
	}
}

func TestDifyFindsPassages(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	status, text := s.post("/dify/retrieval", `{"knowledge_id":"any","query":"Carrow Foundry","retrieval_setting":{"top_k":3,"score_threshold":0}}`)
	var out struct {
		Records []struct {
			Content, Title string
			Score          float64
			Metadata       map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || status != 200 || len(out.Records) != 1 || out.Records[0].Title != "foundry.txt" || out.Records[0].Metadata == nil || !strings.Contains(out.Records[0].Content, "Maud") {
		t.Errorf("%d, %v: %s", status, err, text)
	}
	for _, tt := range []struct {
		name, value string
		status      int
	}{{"name", "foundry.txt", 200}, {"colour", "red", 415}} {
		status, text := s.post("/dify/retrieval", fmt.Sprintf(`{"query":"Carrow Foundry","metadata_condition":{"conditions":[{"name":[%q],"comparison_operator":"is","value":%q}]}}`, tt.name, tt.value))
		if status != tt.status || strings.Contains(text, "Maud") != (status == 200) {
			t.Errorf("a condition on %s: %d, %s", tt.name, status, text)
		}
	}
}

// TestSourcesBeginWithThePublicAddress sets PUBLIC_URL, which wins over the host of a request.
func TestSourcesBeginWithThePublicAddress(t *testing.T) {
	t.Parallel()
	s, _ := speak(t, "PUBLIC_URL=https://clew.example.org/")
	if _, text := s.post("/v1/chat/completions", `{"model":"clew","messages":[{"role":"user","content":"Who founded the Carrow Foundry?"}]}`); !strings.Contains(text, `"url":"https://clew.example.org/w/library/documents/`) || strings.Contains(text, s.url) {
		t.Errorf("sources: %s", text)
	}
	if _, text := s.post("/.well-known/oauth-protected-resource/mcp", ""); !strings.Contains(text, `"https://clew.example.org/mcp"`) {
		t.Errorf("the resource of MCP: %s", text)
	}
}
