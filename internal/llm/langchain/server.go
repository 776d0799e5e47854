package langchain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/llm"
)

// A server is what a configuration leads to.
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
		// A redirect would take the key along, perhaps elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, err
}

// maxHeaders is the maximum size in bytes of the headers of an answer.
const maxHeaders = 256 << 10

// Model returns the model's name.
func (s server) Model() string { return s.Config.Model }

// call gets a path, or posts body to it as JSON unless that is nil. It has the answer read
// by whole, or by stream if it is one and stream is not nil. Errors are *llm.Error.
func (s server) call(ctx context.Context, path string, body any, whole func([]byte) error, stream func(*bufio.Reader) error) error {
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		method = http.MethodPost
		if sent, err = json.Marshal(body); err != nil {
			return s.notBuilt(err)
		}
	}
	timed, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(timed, method, s.BaseURL+path, bytes.NewReader(sent))
	if err != nil {
		return s.notBuilt(err)
	}
	s.sign(req)
	err = s.send(req, whole, stream)
	switch {
	case err != nil && ctx.Err() != nil:
		return llm.Stopped(ctx.Err())
	case err != nil && timed.Err() != nil:
		return s.tooSlow(err)
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

// send sends a request and tells a stream from a whole answer by its first byte: some
// servers ignore the wish for a stream, others send the wrong Content-Type.
func (s server) send(req *http.Request, whole func([]byte) error, stream func(*bufio.Reader) error) error {
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
		return stream(body)
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

// firstByte peeks at the first byte that is no white space; 0 at the end.
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
