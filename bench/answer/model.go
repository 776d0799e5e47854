package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// answer is what the scripted model writes, in the pieces in which it streams
// it.
const answer = "The first passage says it outright [1]. The second passage agrees with it, and names the same year and the same place [2]."

// model is a server with the OpenAI protocol that answers at once and always the
// same: every passage helps, and every sentence is supported. It works little,
// because it shares the processor with what is measured.
type model struct {
	http  *http.Server
	url   string
	calls atomic.Int64
	pause atomic.Int64 // nanoseconds between two words
	first atomic.Int64 // when the first word of the latest answer was sent, in nanoseconds
}

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

// call is the whole answer of a model that calls a tool.
func call(tool, arguments string) string {
	return fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"scripted","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"",`+
		`"tool_calls":[{"id":"call_a","type":"function","function":{"name":%q,"arguments":%q}}]}}],"usage":{"prompt_tokens":200,"completion_tokens":12,"total_tokens":212}}`, tool, arguments)
}

var (
	probe   = call("report_city", `{"city":"Paris"}`) // by which the program finds out that the model calls tools
	grade   = call("grade_passage", `{"binary_score":"yes","reason":"names it"}`)
	grades  = call("grade_passages", `{"grades":[`+strings.Join(yes(8), ",")+`]}`)
	support = call("report_support", `{"supported":[1,2]}`)
)

// yes returns grades of the first n passages of a call.
func yes(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"passage":%d,"binary_score":"yes","reason":"names it"}`, i+1))
	}
	return all
}

// ServeHTTP answers by the tool that the request offers.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.calls.Add(1)
	switch {
	case bytes.Contains(body, []byte(`"report_city"`)):
		sendJSON(w, probe)
	case bytes.Contains(body, []byte(`"grade_passage"`)):
		sendJSON(w, grade)
	case bytes.Contains(body, []byte(`"grade_passages"`)):
		sendJSON(w, grades)
	case bytes.Contains(body, []byte(`"report_support"`)):
		sendJSON(w, support)
	case bytes.Contains(body, []byte(`"stream":true`)):
		m.write(w)
	default:
		http.Error(w, `{"error":{"message":"nobody expects this request"}}`, http.StatusBadRequest)
	}
}

func sendJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

// write streams the answer word by word.
func (m *model) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	chunk := func(choices string) {
		fmt.Fprintf(w, "data: {\"object\":\"chat.completion.chunk\",\"model\":\"scripted\",\"choices\":[%s]}\n\n", choices)
		_ = flush()
	}
	for i, word := range strings.SplitAfter(answer, " ") {
		if i == 0 {
			m.first.Store(time.Now().UnixNano())
		}
		chunk(fmt.Sprintf(`{"index":0,"delta":{"content":%q},"finish_reason":null}`, word))
		time.Sleep(time.Duration(m.pause.Load()))
	}
	chunk(`{"index":0,"delta":{},"finish_reason":"stop"}`)
	_, _ = io.WriteString(w, "data: {\"object\":\"chat.completion.chunk\",\"model\":\"scripted\",\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":30,\"total_tokens\":930}}\n\ndata: [DONE]\n\n")
}
