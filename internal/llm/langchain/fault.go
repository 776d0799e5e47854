package langchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/llm"
)

// place is where a fault happened; its methods make the sentences.
type place Config

func (p place) fault(f llm.Fault, status int, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Fault: f, Status: status, Err: cause, Message: p.scrub(fmt.Sprintf(format, args...))}
}

func (p place) at() string { return shown(p.BaseURL) }

// unreachable is a request that got no answer.
func (p place) unreachable(err error) error {
	if whole, ok := errors.AsType[*url.Error](err); ok {
		err = whole.Err // without the address, which may hold a secret
	}
	return p.fault(llm.Unreachable, 0, err, "No model answers at %s (%s): check that its server runs and that %s_BASE_URL is its address.",
		p.at(), reason(err), p.Settings)
}

// reason is why a connection failed, in a few words.
func reason(err error) string {
	var lookup *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &lookup):
		return "there is no server of that name"
	case errors.As(err, &op) && op.Err != nil:
		return strings.TrimPrefix(op.Err.Error(), "connect: ")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection"
	}
	return err.Error()
}

// slow is a call that took longer than it may.
func (p place) slow(err error) error {
	return p.fault(llm.TimedOut, 0, errors.Join(context.DeadlineExceeded, err),
		"The model at %s took longer than %s: raise %s_TIMEOUT, or take a faster model.", p.at(), p.Timeout, p.Settings)
}

// broke is an answer that ended before its end.
func (p place) broke(err error) error {
	if errors.Is(err, errTooLong) {
		return p.fault(llm.BadAnswer, 200, err, "The answer from %s is longer than %d bytes and was dropped.", p.at(), p.MaxAnswer)
	}
	return p.fault(llm.Unreachable, 200, err, "The answer from %s broke off before its end.", p.at())
}

func (p place) webPage() error {
	return p.fault(llm.Misdirected, 200, nil, "%s answers with a web page instead of a model's words: check %s_BASE_URL; it usually ends in /v1.",
		p.at(), p.Settings)
}

// misread is an answer that was not understood; nil stays nil.
func (p place) misread(err error) error {
	var server *serverError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &server):
		return p.said(server.status(), 0, server)
	}
	return p.fault(llm.BadAnswer, 200, err, "%s answers with something that is no model's answer (%s): check that %s_BASE_URL and %s_PROVIDER belong together.",
		p.at(), err, p.Settings, p.Settings)
}

// status is an answer whose HTTP status is not 2xx.
func (p place) status(resp *http.Response, body io.Reader, now time.Time) error {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10)) // what came says enough
	if resp.StatusCode/100 == 3 {
		return p.fault(llm.Misdirected, resp.StatusCode, nil, "%s sends on to another address (%d): set %s_BASE_URL to the address that answers itself.",
			p.at(), resp.StatusCode, p.Settings)
	}
	return p.said(resp.StatusCode, retryAfter(resp.Header, now), parseServerError(raw))
}

// said is a fault that the server named by a status and, perhaps, in words.
func (p place) said(status int, wait time.Duration, server *serverError) error {
	said := fmt.Sprint(status)
	if words := server.words(); words != "" {
		said += ": " + words
	}
	fault, advice := p.advice(status, server)
	e := p.fault(fault, status, server, "The model's server at %s %s", p.at(), fmt.Sprintf(advice, said))
	e.After = wait
	if fault == llm.RateLimited && wait > 0 {
		e.Message += fmt.Sprintf(" It asks to wait %s.", wait.Round(time.Second))
	}
	return e
}

// advice is what a status means and what to do about it; %s stands for what
// the server said.
func (p place) advice(status int, server *serverError) (llm.Fault, string) {
	key, model, base := p.Settings+"_API_KEY", p.Settings+"_MODEL", p.Settings+"_BASE_URL"
	switch {
	case status == 401 && p.Key == "":
		return llm.Refused, "asks for a key (%s): set " + key + "."
	case status == 401:
		return llm.Refused, "refused the key (%s): check " + key + "."
	case status == 403:
		return llm.Refused, "does not allow this (%s): check what " + key + " may do, and " + model + "."
	case status == 402, status == 429 && server.exhausted():
		return llm.Refused, "says that the account's quota is used up (%s): check its plan and billing."
	case status == 404:
		return llm.Misdirected, "knows either the address or the model not (%s): check " + base + ", which usually ends in /v1, and " + model + "."
	case status == 408:
		return llm.TimedOut, "gave up waiting (%s)."
	case status == 429:
		return llm.RateLimited, "asks for fewer calls (%s): lower " + p.Settings + "_CONCURRENCY or set " + p.Settings + "_PER_MINUTE."
	case status >= 500:
		return llm.ServerFailed, "failed (%s). It may succeed later; its own log says more."
	}
	return llm.BadRequest, "did not accept the request (%s): check " + model + " and how long a text it takes."
}

// keyLike matches what a server may repeat of a key.
var keyLike = regexp.MustCompile(`\b(sk|pk|key|gsk|xai|AIza)[-_][\w*.\-]{6,}`)

// scrub takes secrets out of a sentence.
func (p place) scrub(s string) string {
	if len(p.Key) >= 4 {
		s = strings.ReplaceAll(s, p.Key, "…")
	}
	return keyLike.ReplaceAllString(s, "…")
}

// retryAfter reads how long a server asks to wait: in milliseconds, in
// seconds, or until a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// serverError is what a server says of its own fault.
type serverError struct {
	Message string
	Type    string
	Code    string
}

func (e *serverError) Error() string { return e.words() }

// words are the server's own, on one line and not too many.
func (e *serverError) words() string {
	s := []rune(strings.Join(strings.Fields(e.Message), " "))
	if len(s) > 240 {
		s = append(s[:240], '…')
	}
	return strings.TrimRight(string(s), ".:")
}

// exhausted reports whether money is what is missing, for which waiting does
// not help.
func (e *serverError) exhausted() bool {
	return e.Code == "insufficient_quota" || e.Type == "insufficient_quota"
}

// status is the HTTP status that the fault would have had, had it not come
// within an answer.
func (e *serverError) status() int {
	if code, err := strconv.Atoi(e.Code); err == nil && code >= 400 && code < 600 {
		return code
	}
	switch e.Type {
	case "overloaded_error":
		return 529
	case "rate_limit_error", "rate_limit_exceeded":
		return 429
	case "authentication_error":
		return 401
	case "permission_error":
		return 403
	case "invalid_request_error":
		return 400
	}
	return 500
}

// parseServerError reads the forms in which servers tell errors: an object
// under "error", a text under "error", "message" or "detail", or plain text.
func parseServerError(raw []byte) *serverError {
	var v struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(raw, &v) != nil {
		if text := strings.TrimSpace(string(raw)); !strings.HasPrefix(text, "<") {
			return &serverError{Message: text}
		}
		return &serverError{}
	}
	e := errorObject(v.Error)
	if e.Message == "" {
		e.Message = v.Message
	}
	if e.Message == "" {
		e.Message = plain(v.Detail)
	}
	return e
}

// errorObject reads the value of "error".
func errorObject(raw json.RawMessage) *serverError {
	var v struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(raw, &v) == nil {
		return &serverError{Message: v.Message, Type: v.Type, Code: plain(v.Code)}
	}
	return &serverError{Message: plain(raw)}
}

// plain is a JSON string's value, the JSON itself of anything else, "" of null.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
