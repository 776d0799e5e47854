package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// model is a server with the OpenAI protocol that answers at once, or after a while. Of a text it
// lists the capitalised names and relates those that follow each other in a
// sentence: the same for everyone, in the form in which it is asked.
type model struct {
	http  *http.Server
	url   string
	calls atomic.Int64 // of extraction
	sent  atomic.Int64 // characters of their messages and tools

	latency atomic.Int64 // nanoseconds
}

// concurrency is how many calls are made at once.
const concurrency = 8

func startModel() (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + listener.Addr().String() + "/v1"}
	m.http = &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.http.Serve(listener) }()
	return m, nil
}

// settings let the program use the model.
func (m *model) settings() []string {
	return []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + m.url, "LLM_MODEL=scripted", fmt.Sprint("LLM_CONCURRENCY=", concurrency), fmt.Sprint("INGEST_CONCURRENCY=", concurrency), "LOG_LEVEL=error"}
}

// request holds the fields of a request that the model looks at.
type request struct {
	Messages []struct {
		Content string `json:"content"`
	} `json:"messages"`
	Tools json.RawMessage `json:"tools"`
	Input []string        `json:"input"` // of embedding
	Form  string          `json:"form"`  // of LightRAG: "lines" asks for what a text states, "done" for what was missed, "summary" for a description
}

// ServeHTTP answers a request.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 && len(q.Input) == 0 {
		http.Error(w, `{"error":{"message":"nobody expects this request"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case len(q.Input) > 0:
		sendVectors(w, q.Input)
	case strings.Contains(string(q.Tools), `"report_city"`): // by which the program finds out that the model calls tools
		sendCall(w, "report_city", map[string]string{"city": "Paris"})
	default:
		m.extract(w, q)
	}
}

func (m *model) extract(w http.ResponseWriter, q request) {
	m.calls.Add(1)
	time.Sleep(time.Duration(m.latency.Load()))
	size, last := len(q.Tools), ""
	for _, message := range q.Messages {
		last = message.Content
		size += len(last)
	}
	m.sent.Add(int64(size))
	switch q.Form {
	case "done":
		sendText(w, "<|COMPLETE|>")
	case "lines":
		sendText(w, lines(last))
	case "summary":
		sendText(w, "They met.")
	default:
		sendCall(w, "knowledge_graph", graph(last))
	}
}

var (
	name     = regexp.MustCompile(`\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*`)
	passage  = regexp.MustCompile(`(?s)<passage ([a-z0-9]+)>(.*?)</passage ?([a-z0-9]*)>`)
	realText = regexp.MustCompile("(?s)```\n(.*?)\n```")
)

type fact struct {
	source, target string
}

// mine lists the names of a text and what follows each other in its sentences.
func mine(text string) (names []string, facts []fact) {
	seen, stated := map[string]bool{}, map[fact]bool{}
	for sentence := range strings.SplitSeq(text, ". ") {
		before := ""
		for _, n := range name.FindAllString(sentence, -1) {
			if !seen[n] {
				seen[n], names = true, append(names, n)
			}
			if f := (fact{before, n}); before != "" && before != n && !stated[f] {
				stated[f], facts = true, append(facts, f)
			}
			before = n
		}
	}
	return names, facts
}

type object = map[string]any

// graph answers in the form of the program, passage by passage.
func graph(message string) object {
	nodes, relations := []object{}, []object{}
	for i, p := range passages(message) {
		names, facts := mine(p)
		for _, n := range names {
			nodes = append(nodes, object{"id": n, "label": "Person", "aliases": []string{}, "properties": []string{}, "passages": []int{i + 1}})
		}
		for _, f := range facts {
			relations = append(relations, object{
				"source_node_id": f.source, "source_node_label": "Person", "target_node_id": f.target, "target_node_label": "Person",
				"type": "MET", "properties": []string{}, "passage": i + 1,
			})
		}
	}
	return object{"nodes": nodes, "relationships": relations}
}

// passages returns the texts between the marks of passages.
func passages(message string) []string {
	var list []string
	for _, m := range passage.FindAllStringSubmatch(message, -1) {
		list = append(list, m[2])
	}
	return list
}

// lines answers in the form of LightRAG.
func lines(message string) string {
	text := message
	if all := realText.FindAllStringSubmatch(message, -1); len(all) > 0 {
		text = all[len(all)-1][1]
	}
	var b strings.Builder
	names, facts := mine(text)
	for _, n := range names {
		fmt.Fprintf(&b, "entity<|#|>%s<|#|>person<|#|>%s is named here.\n", n, n)
	}
	for _, f := range facts {
		fmt.Fprintf(&b, "relation<|#|>%s<|#|>%s<|#|>met<|#|>%s met %s.\n", f.source, f.target, f.source, f.target)
	}
	b.WriteString("<|COMPLETE|>")
	return b.String()
}

func sendText(w io.Writer, text string) {
	send(w, object{"role": "assistant", "content": text}, "stop")
}

func sendCall(w io.Writer, tool string, arguments any) {
	text, _ := json.Marshal(arguments)
	send(w, object{"role": "assistant", "content": "", "tool_calls": []object{
		{"id": "call_a", "type": "function", "function": object{"name": tool, "arguments": string(text)}},
	}}, "tool_calls")
}

func send(w io.Writer, message object, reason string) {
	_ = json.NewEncoder(w).Encode(object{
		"id": "x", "object": "chat.completion", "model": "scripted", "choices": []object{{"index": 0, "finish_reason": reason, "message": message}},
		"usage": object{"prompt_tokens": 200, "completion_tokens": 200, "total_tokens": 400},
	})
}

// dimensions is the length of a vector.
const dimensions = 64

// sendVectors sends a vector for each text, equal for equal texts.
func sendVectors(w io.Writer, texts []string) {
	data := make([]object, len(texts))
	for i, text := range texts {
		h := fnv.New64a()
		_, _ = io.WriteString(h, text)
		seed := h.Sum64()
		vector := make([]float32, dimensions)
		for d := range vector {
			seed = seed*6364136223846793005 + 1442695040888963407
			vector[d] = float32(int64(seed>>40)-1<<23) / (1 << 23)
		}
		data[i] = object{"object": "embedding", "index": i, "embedding": vector}
	}
	_ = json.NewEncoder(w).Encode(object{"object": "list", "model": "scripted", "data": data, "usage": object{"prompt_tokens": 1, "total_tokens": 1}})
}
