package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Server is a scripted model server. It is safe for concurrent use.
type Server struct {
	URL string // with /v1

	http *httptest.Server
	once sync.Once
	quit chan struct{} // closed by Close; ends waiting replies

	mu       sync.Mutex
	rules    []*rule
	requests []Request
}

type rule struct {
	match   Match
	replies []Reply
	used    int
}

// New starts a server that is closed at the end of the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server.
func Start() *Server {
	s := &Server{quit: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serve(readOpenAI, openAIWriter{}))
	mux.HandleFunc("POST /v1/messages", s.serve(readAnthropic, anthropicWriter{}))
	mux.HandleFunc("GET /v1/models", list)
	mux.HandleFunc("POST /v1/embeddings", s.serve(readEmbedding, embeddingWriter{}))
	mux.HandleFunc("POST /deployments/{name}/chat/completions", s.serve(readOpenAI, openAIWriter{})) // as on Azure
	mux.HandleFunc("POST /deployments/{name}/embeddings", s.serve(readEmbedding, embeddingWriter{}))
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	return s
}

// list names two models.
func list(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(encode(object{"object": "list", "data": []object{{"id": "tiny", "max_model_len": 32768}, {"id": "small"}}})) //nolint:errcheck // a client that went away
}

// Close stops the server and the replies that wait. It may be called twice.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.quit)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// On adds a rule after the others: matching requests get the replies in turn.
func (s *Server) On(m Match, replies ...Reply) {
	if len(replies) == 0 {
		replies = []Reply{Say("")}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, &rule{match: m, replies: replies})
}

// First adds a rule before the others.
func (s *Server) First(m Match, replies ...Reply) {
	s.On(m, replies...)
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.rules) - 1
	s.rules = slices.Insert(s.rules[:last], 0, s.rules[last])
}

// Requests returns the matching requests so far, in order of arrival.
func (s *Server) Requests(m Match) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if m(r) {
			out = append(out, r)
		}
	}
	return out
}

// Calls counts the matching requests so far.
func (s *Server) Calls(m Match) int { return len(s.Requests(m)) }

// reply stores the request and finds its reply.
func (s *Server) reply(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	for _, rule := range s.rules {
		if rule.match(r) {
			at := min(rule.used, len(rule.replies)-1)
			rule.used++
			return rule.replies[at]
		}
	}
	if r.Kind == KindEmbedding {
		return Reply{}
	}
	return Fail(http.StatusBadRequest, fmt.Sprintf("llmtest: no rule for tools %v, schema %q, last message %q", r.ToolNames(), r.Schema, r.Last()))
}

// writer writes a reply in one protocol.
type writer interface {
	whole(w http.ResponseWriter, q Request, r Reply)
	stream(w *stream, q Request, r Reply)
}

func (s *Server) serve(read func(body []byte) (Request, error), write writer) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		q, err := read(body)
		if err != nil {
			http.Error(w, `{"error":{"message":"llmtest: the request can't be read"}}`, http.StatusBadRequest)
			return
		}
		q.Path, q.Query, q.Header, q.Body = req.URL.Path, req.URL.Query(), req.Header.Clone(), body
		r := s.reply(q)
		if r.compute != nil {
			r = r.compute(q)
		}
		for _, gate := range r.gates {
			if !s.wait(req, gate) {
				return
			}
		}
		s.write(w, req, q, r, write)
	}
}

// wait receives from gate. It reports false when the client or the server closes
// first.
func (s *Server) wait(req *http.Request, gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-req.Context().Done():
	case <-s.quit:
	}
	return false
}

func (s *Server) write(w http.ResponseWriter, req *http.Request, q Request, r Reply, write writer) {
	if r.drop {
		panic(http.ErrAbortHandler)
	}
	if r.Raw != "" || r.Status != 0 {
		r.writeRaw(w)
		return
	}
	if !q.Stream {
		w.Header().Set("Content-Type", "application/json")
		write.whole(w, q, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &stream{w: w, cut: r.cut}
	if r.each != nil {
		out.wait = func() bool { return s.wait(req, r.each) }
	}
	write.stream(out, q, r)
	if out.broken {
		panic(http.ErrAbortHandler) // closes the connection in the middle of the answer
	}
}

// stream writes server-sent events. It breaks after cut pieces of text unless
// cut is 0.
type stream struct {
	w      http.ResponseWriter
	wait   func() bool // called before each piece of text; may be nil
	cut    int
	pieces int
	broken bool
}

// piece writes an event with a part of the answer.
func (s *stream) piece(name string, v any) {
	if s.broken || s.wait != nil && !s.wait() {
		s.broken = true
		return
	}
	s.event(name, v)
	s.pieces++
	s.broken = s.pieces == s.cut
}

// event writes any other event.
func (s *stream) event(name string, v any) {
	if s.broken {
		return
	}
	data, ok := v.(string)
	if !ok {
		data = string(encode(v))
	}
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// encode writes JSON; all values of this package can be encoded.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(fmt.Sprintf("%q", "llmtest: "+err.Error()))
	}
	return b
}
