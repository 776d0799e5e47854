package langchain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// doer sends what the library built, with what it could not say merged in, and
// reads the answer into the exchange of the request's context.
type doer struct {
	config Config
	client *http.Client
}

func newDoer(c Config) *doer {
	return &doer{config: c, client: &http.Client{
		Transport: c.Transport,
		// A redirect would take the key along, perhaps elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// errTaken tells the library that there is nothing for it to read.
var errTaken = errors.New("the answer has been taken")

// Do sends the request. The library always gets an error; what came of the
// request is in the exchange.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("langchain: request without an exchange")
	}
	x.err = d.do(req, x)
	x.answered = x.err == nil
	return nil, errTaken
}

func (d *doer) do(req *http.Request, x *exchange) error {
	if err := d.prepare(req, x); err != nil {
		return err
	}
	resp, err := d.client.Do(req) //nolint:gosec // the address is the one that was configured
	if err != nil {
		return place(d.config).unreachable(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReaderSize(&limited{left: d.config.MaxAnswer, from: resp.Body}, 32<<10)
	if resp.StatusCode/100 != 2 {
		return place(d.config).status(resp, body, d.config.Now())
	}
	return d.read(body, x)
}

// prepare merges the exchange's fields and the configuration into the request.
func (d *doer) prepare(req *http.Request, x *exchange) error {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read the request's body: %w", err)
	}
	var body map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return fmt.Errorf("decode the request's body: %w", err)
	}
	merge(body, x.fields)
	if x.event != nil {
		body["stream"] = true
	}
	merge(body, d.config.Fields)
	if raw, err = json.Marshal(body); err != nil {
		return fmt.Errorf("encode the request's body: %w", err)
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	d.address(req)
	return nil
}

// address completes what the request says beside its body.
func (d *doer) address(req *http.Request) {
	if d.config.Key == "" {
		req.Header.Del("Authorization")
		req.Header.Del("X-Api-Key")
	}
	for name, value := range d.config.Headers {
		req.Header.Set(name, value)
	}
	if len(d.config.Query) > 0 {
		query := req.URL.Query()
		for name, value := range d.config.Query {
			query.Set(name, value)
		}
		req.URL.RawQuery = query.Encode()
	}
}

// merge writes fields into body; a nil value takes the field out.
func merge(body, fields map[string]any) {
	for name, value := range fields {
		if value == nil {
			delete(body, name)
		} else if change, ok := value.(func(any) any); ok {
			body[name] = change(body[name])
		} else {
			body[name] = value
		}
	}
}

// read takes an answer as what it is, whatever its Content-Type says: some
// servers ignore the wish for a stream, others mislabel it.
func (d *doer) read(body *bufio.Reader, x *exchange) error {
	first, err := firstByte(body)
	if err != nil && !errors.Is(err, io.EOF) {
		return place(d.config).broke(err)
	}
	switch {
	case first == '<':
		return place(d.config).webPage()
	case x.event != nil && first != '{' && first != '[' && first != 0:
		return d.readStream(body, x)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return place(d.config).broke(err)
	}
	return place(d.config).misread(x.read(raw))
}

func (d *doer) readStream(body *bufio.Reader, x *exchange) error {
	for data, err := range events(body) {
		if err != nil {
			if x.ended() {
				return nil
			}
			return place(d.config).broke(err)
		}
		done, err := x.event(data)
		if err != nil {
			return place(d.config).misread(err)
		}
		if done {
			return nil
		}
	}
	if !x.ended() {
		return place(d.config).broke(io.ErrUnexpectedEOF)
	}
	return nil
}

// firstByte looks at the first byte that is no white space, 0 at the end.
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

// limited reads at most left bytes and then fails, where io.LimitReader would
// end as if all was well.
type limited struct {
	left int64
	from io.Reader
}

var errTooLong = errors.New("the answer is too long")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.from.Read(p)
	l.left -= int64(n)
	return n, err
}
