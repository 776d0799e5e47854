package langchain

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// A server is the server that a configuration names.
type server struct {
	Config
	client *http.Client
}

// newServer returns the server of a configuration without connecting to it.
func newServer(c Config) (server, error) {
	c, err := c.withDefaults()
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.MaxResponseHeaderBytes = maxHeaders
	t.DialContext = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: refuseLinkLocal}).DialContext
	return server{c, &http.Client{
		Transport: t,
		// A redirect would send the key along, perhaps to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, err
}

// maxHeaders is the maximum size in bytes of the headers of an answer.
const maxHeaders = 256 << 10

// Model returns the model's name.
func (s server) Model() string { return s.Config.Model }

// A streamReader reads an answer that comes in pieces. It calls alive at each piece.
type streamReader func(body *bufio.Reader, alive func()) error

// call gets a path, or posts body to it as JSON unless that is nil. It has the answer read
// by whole, or by stream if it is one and stream is not nil. The timeout bounds the whole
// call, and of a stream the time to its first piece and from each to the next. Errors are
// *llm.Error.
func (s server) call(ctx context.Context, path string, body any, whole func([]byte) error, stream streamReader) error {
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		method = http.MethodPost
		if sent, err = encoded(body); err != nil {
			return s.notBuilt(err)
		}
	}
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	limit, writes := time.AfterFunc(s.Timeout, cancel), false
	defer limit.Stop()
	req, err := http.NewRequestWithContext(timed, method, s.BaseURL+path, bytes.NewReader(sent))
	if err != nil {
		return s.notBuilt(err)
	}
	s.sign(req)
	err = s.send(req, whole, stream, func() {
		writes = true
		limit.Reset(s.Timeout)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return llm.Stopped(ctx.Err())
	case err != nil && timed.Err() != nil:
		return s.tooSlow(writes)
	}
	return err
}

// sign adds the key as the protocol wants it, and the headers and parameters of the
// configuration.
func (s server) sign(req *http.Request) {
	req.Header.Set("Content-Type", "application/json")
	switch {
	case s.Provider == Anthropic:
		req.Header.Set("Anthropic-Version", "2023-06-01")
		if s.Key != "" {
			req.Header.Set("X-Api-Key", s.Key)
		}
	case s.Key != "":
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	query := req.URL.Query()
	maps.Copy(query, s.Query)
	req.URL.RawQuery = query.Encode()
}

// send sends a request and distinguishes a stream from a whole answer by its first byte: some servers ignore the
// request for a stream, others send the wrong Content-Type.
func (s server) send(req *http.Request, whole func([]byte) error, stream streamReader, alive func()) error {
	resp, err := s.client.Do(req) //nolint:gosec // the address is the one that was configured
	if err != nil {
		return s.unreachable(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReader(http.MaxBytesReader(nil, resp.Body, s.MaxAnswer))
	if resp.StatusCode/100 != 2 {
		return s.badStatus(resp, body)
	}
	first, err := firstByte(body)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return s.broken(err)
	case first == '<':
		return s.webPage()
	case stream != nil && first != '{' && first != '[' && first != 0:
		return stream(body, alive)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return s.broken(err)
	}
	return s.misread(whole(raw))
}

// readStream reads server-sent events. Both protocols write an event's data on
// one line, of any length; some servers leave out the last line break.
func (s server) readStream(body *bufio.Reader, event func([]byte) (last bool, _ error), complete func() bool) error {
	for {
		line, end := body.ReadBytes('\n')
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); ok && len(data) > 0 && (end == nil || errors.Is(end, io.EOF)) {
			if last, err := event(data); last || err != nil {
				return s.misread(err)
			}
		}
		switch {
		case end != nil && complete():
			return nil
		case end != nil:
			return s.broken(end)
		}
	}
}

// firstByte peeks at the first byte that is not white space; 0 at the end.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(b)) {
			return b, r.UnreadByte()
		}
	}
}

// Bounds of an answer. Three bytes are enough for a list or an object, and its place in
// memory may be a hundred times as large. More values are read if they are long, as
// those of a text with many commas.
const (
	maxNested     = 100_000
	maxValues     = 100_000
	bytesPerValue = 20
)

// decode reads the JSON of an answer and keeps numbers as they are written. It fails
// when the answer holds an error, which may have the status 200.
func decode(body []byte, v any) error {
	if n := bytes.Count(body, []byte(",")); n > maxValues && len(body)/n < bytesPerValue {
		return fmt.Errorf("it has %d values, and %d are read", n, maxValues)
	}
	return decodeNumbers(body, v)
}

// decodeNumbers is decode of an answer that may consist of numbers.
func decodeNumbers(body []byte, v any) error {
	if len(body) == 0 {
		return errors.New("it is empty")
	}
	if n := bytes.Count(body, []byte("{")) + bytes.Count(body, []byte("[")); n > maxNested {
		return fmt.Errorf("it has %d lists and objects, and %d are read", n, maxNested)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("broken JSON: %w", err)
	}
	if bytes.Contains(body, []byte(`"error"`)) {
		if failed := parseServerError(body); failed.within {
			return failed
		}
	}
	return nil
}

// The providers name the protocols.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Config configures one model. Provider and Model are required.
type Config struct {
	Provider string        // OpenAI or Anthropic
	BaseURL  string        // including its version path, such as http://127.0.0.1:11434/v1; "" means the provider's own
	Key      string        // "" sends none
	Model    string        // the server's name for it
	Timeout  time.Duration // of one call, or of a silence in a streamed one; 0 means 2 minutes
	Settings string        // prefix of the settings named in errors; "" means "LLM", or "EMBED" for an embedder
	Page     bool          // it was connected on the page: errors name the fields there, not settings

	Headers map[string]string // sent with each call; override headers of the same name
	Query   url.Values        // added to each address

	MaxAnswer int64        // bytes of an answer; 0 means 32 MiB
	Batch     int          // texts in one embedding request; 0 means 32
	Now       domain.Clock // for a Retry-After that is a date; nil means time.Now
}

// withDefaults fills the zero values and checks the others. An Invalid error
// names the setting to mend.
func (c Config) withDefaults() (Config, error) {
	c.Settings = cmp.Or(c.Settings, "LLM")
	if c.Model == "" {
		return c, domain.Errorf(domain.Invalid, "%s is empty: name the model.", c.setting("MODEL"))
	}
	base, ok := baseURL(cmp.Or(c.BaseURL, defaultURL[c.Provider]))
	if !ok {
		return c, domain.Errorf(domain.Invalid, "%s is not an address: it should look like http://127.0.0.1:11434/v1.", c.setting("BASE_URL"))
	}
	query := base.Query()
	maps.Copy(query, c.Query)
	base.RawQuery = ""
	c.BaseURL, c.Query = base.String(), query
	c.Timeout = cmp.Or(c.Timeout, 2*time.Minute)
	c.MaxAnswer = cmp.Or(c.MaxAnswer, 32<<20)
	c.Batch = cmp.Or(c.Batch, 32)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

var defaultURL = map[string]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
}

// baseURL removes the path of an endpoint, which people paste too, and reports
// whether s is an address.
func baseURL(s string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !domain.IsPort(u.Port()) {
		return nil, false
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, endpoint := range []string{"/chat/completions", "/embeddings", "/messages"} {
		u.Path = strings.TrimSuffix(u.Path, endpoint)
	}
	return u, true
}

// setting names what a person gave, in the words of where it was given.
func (c Config) setting(name string) string {
	if !c.Page {
		return c.Settings + "_" + name
	}
	switch name {
	case "BASE_URL":
		return "the address"
	case "API_KEY", "HEADERS":
		return "the key"
	case "MODEL":
		return "the name of the model"
	case "PER_MINUTE":
		return "the field Calls per minute"
	}
	return "the kind of server"
}

// address returns the base URL without what must not be shown: the name, the
// password and the query.
func (c Config) address() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return "the model's server"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Bounds of a list of models.
const (
	maxList     = 4 << 20 // bytes
	listTimeout = 20 * time.Second
)

// lister returns the server of a configuration, with the bounds of a list.
func lister(c Config) (server, error) {
	c.Model = cmp.Or(c.Model, "any")
	s, err := newServer(c)
	s.MaxAnswer, s.Timeout = maxList, min(s.Timeout, listTimeout)
	return s, err
}

// List returns the models of a server, by name. Errors are *llm.Error.
func List(ctx context.Context, c Config) ([]llm.Listed, error) {
	s, err := lister(c)
	if err != nil {
		return nil, err
	}
	path := "/models"
	if c.Provider == Anthropic {
		path += "?limit=1000"
	}
	var listed struct {
		Data []struct {
			Name      string `json:"id"`
			VLLM      int    `json:"max_model_len"`
			Router    int    `json:"context_length"`
			Groq      int    `json:"context_window"`
			Mistral   int    `json:"max_context_length"`
			Anthropic int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := s.call(ctx, path, nil, func(body []byte) error { return decode(body, &listed) }, nil); err != nil {
		return nil, err
	}
	var all []llm.Listed
	for _, m := range listed.Data {
		l := llm.Listed{Name: strings.TrimPrefix(m.Name, "models/"), Context: cmp.Or(m.VLLM, m.Router, m.Groq, m.Mistral, m.Anthropic)}
		if l.Name != "" {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b llm.Listed) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Describe returns a server's description of the model in a configuration. Only the list of models is standard; Ollama
// and llama.cpp report the context length elsewhere. A server without such an address is treated as silent.
func Describe(ctx context.Context, c Config, all []llm.Listed) llm.Listed {
	if i := slices.IndexFunc(all, func(l llm.Listed) bool { return l.Name == c.Model }); i >= 0 && all[i].Context > 0 {
		return all[i]
	}
	l := llm.Listed{Name: c.Model}
	s, err := lister(c)
	root, ok := strings.CutSuffix(s.BaseURL, "/v1")
	if err != nil || c.Provider != OpenAI || !ok || slices.Contains(slices.Collect(maps.Values(defaultURL)), s.BaseURL) {
		return l
	}
	s.BaseURL = root
	var ollama struct {
		Info map[string]any `json:"model_info"`
	}
	read := func(v any) func([]byte) error { return func(body []byte) error { return decodeNumbers(body, v) } }
	if s.call(ctx, "/api/show", map[string]any{"model": c.Model}, read(&ollama), nil) == nil {
		for name, v := range ollama.Info {
			if n, ok := v.(json.Number); ok && strings.HasSuffix(name, ".context_length") {
				tokens, _ := n.Int64()
				l.Context, l.Cuts = int(tokens), true
			}
		}
		return l
	}
	var llamaCPP struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if s.call(ctx, "/props", nil, read(&llamaCPP), nil) == nil {
		l.Context = llamaCPP.Settings.Context
	}
	return l
}

// Embedder is an embedding model behind an HTTP address.
type Embedder struct{ server }

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder returns the embedding model of a configuration, whose provider
// must be OpenAI, without connecting to it. An Invalid error names the setting
// to mend.
func NewEmbedder(c Config) (*Embedder, error) {
	c.Settings = cmp.Or(c.Settings, "EMBED")
	if c.Provider != OpenAI {
		return nil, domain.Errorf(domain.Invalid, "%s_PROVIDER is %q, but only %s makes embeddings.", c.Settings, c.Provider, OpenAI)
	}
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return &Embedder{s}, nil
}

// Embed embeds texts in batches; see llm.Embedder. Vectors of several dimensions
// are an error.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, e.Batch) {
		read := func(body []byte) error {
			made, tokens, err := vectorsIn(body, len(batch))
			llm.CountEmbedded(ctx, tokens)
			vectors = append(vectors, made...)
			return err
		}
		if err := e.call(ctx, "/embeddings", map[string]any{"model": e.Model(), "input": batch}, read, nil); err != nil {
			return nil, err
		}
	}
	if err := e.misread(llm.CheckVectors(vectors, len(texts))); err != nil {
		return nil, err
	}
	for _, v := range vectors {
		normalize(v)
	}
	return vectors, nil
}

// vectorsIn returns the vectors of an answer, sorted by their index, and how many tokens
// the server has counted.
func vectorsIn(body []byte, count int) (vectors [][]float32, tokens int, err error) {
	var a struct {
		Data []struct {
			Index  *int            `json:"index"`
			Vector json.RawMessage `json:"embedding"`
		} `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if n := bytes.Count(body, []byte(",")); n > count*llm.MaxDimension {
		return nil, 0, fmt.Errorf("%d numbers for %d texts", n, count)
	}
	if err := decodeNumbers(body, &a); err != nil {
		return nil, 0, err
	}
	if len(a.Data) != count {
		return nil, 0, fmt.Errorf("%d vectors for %d texts", len(a.Data), count)
	}
	vectors, seen := make([][]float32, count), make([]bool, count)
	for i, v := range a.Data {
		if v.Index != nil {
			i = *v.Index
		}
		if i < 0 || i >= count || seen[i] {
			return nil, 0, fmt.Errorf("the vectors of %d texts are numbered wrongly", count)
		}
		if bytes.Contains(v.Vector, []byte("null")) { // written for NaN
			return nil, 0, errors.New("a vector without a direction")
		}
		if seen[i] = true; len(v.Vector) > 0 {
			if err := json.Unmarshal(v.Vector, &vectors[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	return vectors, countOf(a.Usage).Input, nil
}

// normalize scales a vector to unit length.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
}
