package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Client sends the requests that a library built, each within an Exchange.
type Client struct {
	config Config
	client *http.Client
}

// NewClient returns the client of a configuration that WithDefaults completed.
func NewClient(c Config) *Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.MaxResponseHeaderBytes = maxHeaders
	t.DialContext = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: refuseLinkLocal}).DialContext
	return &Client{config: c, client: &http.Client{
		Transport: t,
		// A redirect would take the key along, perhaps elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// maxHeaders is the maximum size in bytes of the headers of an answer.
const maxHeaders = 256 << 10

var errRead = errors.New("transport: the answer has been read")

// Do sends a request. The library gets the part of the answer that it is to
// read; when there is none, or the request failed, it gets an error and the
// exchange holds the outcome.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*Exchange)
	if !ok {
		return nil, errors.New("transport: request without an exchange")
	}
	var body []byte
	x.sent = true
	body, x.err = c.do(req, x)
	if x.read = x.err == nil && body == nil; body == nil {
		return nil, errRead
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: req}, nil
}

func (c *Client) do(req *http.Request, x *Exchange) ([]byte, error) {
	if err := c.prepare(req, x); err != nil {
		return nil, c.config.notBuilt(err)
	}
	resp, err := c.client.Do(req) //nolint:gosec // the address is the one that was configured
	if err != nil {
		return nil, c.config.unreachable(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReader(http.MaxBytesReader(nil, resp.Body, c.config.MaxAnswer))
	if resp.StatusCode/100 != 2 {
		return nil, c.config.badStatus(resp, body)
	}
	return c.read(body, x)
}

// prepare completes a request by its exchange and the configuration.
func (c *Client) prepare(req *http.Request, x *Exchange) error {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	body := make(map[string]any, len(members)+4)
	for name, value := range members {
		body[name] = value
	}
	if x.Amend != nil {
		x.Amend(body)
	}
	if x.Event != nil {
		body["stream"] = true
	}
	if raw, err = encode(body, len(raw)); err != nil {
		return err
	}
	if x.Fill != nil {
		raw = x.Fill(raw)
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	if c.config.Key == "" { // the library sends a placeholder
		req.Header.Del("Authorization")
		req.Header.Del("X-Api-Key")
	}
	for name, value := range c.config.Headers {
		req.Header.Set(name, value)
	}
	if len(c.config.Query) > 0 {
		query := req.URL.Query()
		maps.Copy(query, c.config.Query)
		req.URL.RawQuery = query.Encode()
	}
	return nil
}

// more is about what a body grows by.
const more = 1 << 10

// encode writes a body, about as long as before. What the library wrote stays as it is.
func encode(body map[string]any, before int) ([]byte, error) {
	b := append(make([]byte, 0, before+more), '{')
	for i, name := range slices.Sorted(maps.Keys(body)) {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, written := body[name].(json.RawMessage)
		if !written {
			if value, err = json.Marshal(body[name]); err != nil {
				return nil, err
			}
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// read tells a stream from a whole answer by its first byte: some servers
// ignore the wish for a stream, others send the wrong Content-Type.
func (c *Client) read(body *bufio.Reader, x *Exchange) ([]byte, error) {
	first, err := firstByte(body)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, c.config.broken(err)
	}
	switch {
	case first == '<':
		return nil, c.config.webPage()
	case x.Event != nil && first != '{' && first != '[' && first != 0:
		return nil, c.readStream(body, x)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, c.config.broken(err)
	}
	raw, err = x.Whole(raw)
	return raw, c.config.Misread(err)
}

// readStream reads server-sent events. Both protocols write an event's data on
// one line, of any length; some servers leave out the last line break.
func (c *Client) readStream(body *bufio.Reader, x *Exchange) error {
	for {
		line, end := body.ReadBytes('\n')
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); ok && len(data) > 0 && (end == nil || errors.Is(end, io.EOF)) {
			last, err := x.Event(data)
			if last || err != nil {
				return c.config.Misread(err)
			}
		}
		if end != nil && x.Complete() {
			return nil
		}
		if end != nil {
			return c.config.broken(end)
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

// maxNested is the most lists and objects of an answer that are read. Three bytes are
// enough for one of them, and its place in memory may be a hundred times as large.
const maxNested = 100_000

// decode reads JSON and keeps numbers as they are written.
func decode(body []byte, v any) error {
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
	return nil
}
