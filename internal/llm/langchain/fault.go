package langchain

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// fault returns an error in a sentence that contains no secret. The first %s of format stands for the place of the
// server, which only the cause contains; details are shown without the addresses and paths in them.
func (c Config) fault(f llm.Fault, status int, cause error, format string, args ...any) *llm.Error {
	located, shown := append([]any{" at " + c.address()}, args...), append([]any{""}, args...)
	for i, arg := range shown {
		if d, ok := arg.(detail); ok {
			located[i], shown[i] = d.whole, d.shown
		}
	}
	return &llm.Error{Fault: f, Status: status, Message: c.scrub(fmt.Sprintf(format, shown...)), Err: &llm.Located{Sentence: c.scrub(fmt.Sprintf(format, located...)), Err: cause}}
}

// A detail is a message of a server or a library, which may contain addresses, and the part of it that is shown.
type detail struct{ whole, shown string }

// said returns a detail without addresses and paths.
func (c Config) said(s string) detail { return detail{s, c.hide(c.scrub(s))} }

// places matches locations: addresses, names of machines, paths.
var places = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(authorization|x-api-key)\b["']?\s*[:=]\s*["']?(bearer\s+)?[^\s"',]+`),
	regexp.MustCompile(`(?i)\bbearer\s+[^\s"',]+`),
	regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`),
	regexp.MustCompile(`\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%\w+)?\](:\d+)?`),
	regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`),
	regexp.MustCompile(`(?i)\b([0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}\b|::1\b`),
	regexp.MustCompile(`\b[\w.-]*[A-Za-z][\w.-]*:\d{2,5}\b`),
	regexp.MustCompile(`(?i)\b([a-z0-9][a-z0-9-]*\.)+(com|net|org|io|ai|dev|app|cloud|co|de|fr|uk|eu|ch|at|it|es|nl|se|no|us|lan|local|localdomain|internal|intranet|corp|home|private|svc|cluster|host|server|box|invalid|example|test)\b(/[^\s"']*)?`),
	regexp.MustCompile(`(?i)\b[a-z]:\\[^\s"']+|\\\\[^\s"']+`),
	regexp.MustCompile(`(?P<before>^|[\s"'(=:,\[])~?(/[\w.@+%-]+)+/?`),
}

// hide replaces the locations of the server and of files on its disk in a text.
func (c Config) hide(s string) string {
	if u, err := url.Parse(c.BaseURL); err == nil && u.Hostname() != "" {
		for _, word := range []string{u.Host, u.Hostname()} {
			s = regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(s, "…")
		}
	}
	for _, p := range places {
		s = p.ReplaceAllString(s, "${before}…")
	}
	return s
}

// keyLike matches the keys, or parts of keys, that servers repeat.
var keyLike = regexp.MustCompile(`\b(sk|pk|key|gsk|xai|AIza)[-_][\w*.\-]{6,}`)

// userinfo matches the name and the password, and query the query, of an address.
var (
	userinfo = regexp.MustCompile(`://[^/\s"']*@`)
	query    = regexp.MustCompile(`(://[^\s"'?]+\?)[^\s"']+`)
)

// scrub replaces the secrets in a text.
func (c Config) scrub(s string) string {
	for _, secret := range c.secrets() {
		s = strings.ReplaceAll(s, secret, "…")
	}
	s = query.ReplaceAllString(userinfo.ReplaceAllString(s, "://…@"), "${1}…")
	return keyLike.ReplaceAllString(s, "…")
}

// secrets returns the key and the password as they may be written, and the words of
// headers and parameters that are long enough to be keys: most of the shorter ones are
// plain words.
func (c Config) secrets() (all []string) {
	const shortest, likelyKey = 4, 8 // bytes; a shorter secret would garble the words it is part of
	add := func(least int, words ...string) {
		all = append(all, slices.DeleteFunc(words, func(w string) bool { return len(w) < least })...)
	}
	if u, err := url.Parse(c.BaseURL); err == nil {
		p, _ := u.User.Password()
		add(shortest, p, url.PathEscape(p), url.QueryEscape(p))
	}
	add(shortest, c.Key)
	for _, v := range c.Headers {
		add(likelyKey, strings.Fields(v)...)
	}
	for _, values := range c.Query {
		for _, v := range values {
			add(likelyKey, v, url.QueryEscape(v))
		}
	}
	return all
}

// notBuilt describes a request that was not sent.
func (c Config) notBuilt(err error) error {
	return c.fault(llm.BadRequest, 0, err, "The request to the model%s could not be built: %s.", c.said(err.Error()))
}

// unreachable describes a request that got no answer.
func (c Config) unreachable(err error) error {
	if whole, ok := errors.AsType[*url.Error](err); ok {
		err = whole.Err // without the address, which may contain a secret
	}
	return c.fault(llm.Unreachable, 0, err, "No model answers%s (%s): %s.", c.reason(err), c.remedy(err))
}

// remedy describes what to do about a connection that failed.
func (c Config) remedy(err error) string {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case certificate:
		return "its certificate is not trusted on this machine. Add its authority to the machine's certificates, or name a file with it in the variable SSL_CERT_FILE and start Clew again"
	case record, strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "it does not speak TLS. Check whether " + c.setting("BASE_URL") + " should begin with http://"
	case errors.Is(err, errLinkLocal):
		return "machines in a cloud keep their own credentials at such addresses. Check " + c.setting("BASE_URL")
	}
	return "check that its server runs and that " + c.setting("BASE_URL") + " is its address"
}

// errLinkLocal refuses addresses that only this machine's own network has.
var errLinkLocal = errors.New("link-local addresses are not called")

// refuseLinkLocal is called with the address that a name was resolved to.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err == nil && at.Addr().Unmap().IsLinkLocalUnicast() {
		return errLinkLocal
	}
	return nil
}

// reason describes in a few words why a connection failed.
func (c Config) reason(err error) detail {
	var lookup *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &lookup):
		return c.said("there is no server of that name")
	case errors.Is(err, errLinkLocal):
		return c.said(errLinkLocal.Error())
	case errors.As(err, &op) && op.Err != nil:
		return c.said(strings.TrimPrefix(op.Err.Error(), "connect: "))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return c.said("it closed the connection")
	}
	return detail{err.Error(), "the connection failed"} // a certificate names servers
}

// tooSlow describes a call that ran into the timeout, perhaps after its model has begun to write.
func (c Config) tooSlow(writes bool) error {
	if writes {
		return c.fault(llm.TimedOut, 0, context.DeadlineExceeded,
			"The model%s has begun to write, and then was silent for %s: raise LLM_TIMEOUT, or use a faster model.", c.Timeout)
	}
	return c.fault(llm.TimedOut, 0, context.DeadlineExceeded,
		"The model%s took longer than %s: raise LLM_TIMEOUT, or use a faster model.", c.Timeout)
}

// broken describes an answer that was cut off.
func (c Config) broken(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.fault(llm.BadAnswer, 200, err, "The answer of the model%s is longer than %d bytes and was discarded.", c.MaxAnswer)
	}
	return c.fault(llm.Unreachable, 200, err, "The answer of the model%s broke off before its end.")
}

func (c Config) webPage() error {
	return c.fault(llm.Misdirected, 200, nil, "The server%s answers with a web page instead of a model's answer. Check %s; it usually ends in /v1.",
		c.setting("BASE_URL"))
}

// misread describes an answer that could not be read because of err; nil stays nil.
func (c Config) misread(err error) error {
	if err == nil {
		return nil
	}
	if server, ok := errors.AsType[*serverError](err); ok {
		return c.refused(server.status(), 0, server)
	}
	return c.fault(llm.BadAnswer, 200, err, "The answer of the server%s does not come from a model (%s). Check that %s and %s belong together.",
		c.said(err.Error()), c.setting("BASE_URL"), c.setting("PROVIDER"))
}

// badStatus describes an answer whose HTTP status is not 2xx.
func (c Config) badStatus(resp *http.Response, body io.Reader) error {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10)) // part of it is enough
	if resp.StatusCode/100 == 3 {
		return c.fault(llm.Misdirected, resp.StatusCode, nil, "The model's server%s redirects to another address (%d): set %s to that address.",
			resp.StatusCode, c.setting("BASE_URL"))
	}
	return c.refused(resp.StatusCode, retryAfter(resp.Header, c.Now()), parseServerError(raw))
}

// refused describes a failure that the server reports.
func (c Config) refused(status int, wait time.Duration, server *serverError) error {
	said := strconv.Itoa(status)
	if message := server.Error(); message != "" {
		said += ": " + message
	}
	fault, advice := c.advice(status, server)
	if fault == llm.RateLimited && wait > 0 {
		advice += fmt.Sprintf(" It asks to wait %s.", wait.Round(time.Second))
	}
	e := c.fault(fault, status, server, "The model's server%s "+advice, c.said(said))
	e.After = wait
	return e
}

// advice describes what a status means and what to do; %s stands for the details.
func (c Config) advice(status int, server *serverError) (llm.Fault, string) {
	key, model, base := c.setting("API_KEY"), c.setting("MODEL"), c.setting("BASE_URL")
	switch {
	case status == 401 && len(c.Headers) > 0 && !c.Page:
		return llm.Refused, "refused the key (%s): check " + key + " and " + c.setting("HEADERS") + "."
	case status == 401 && c.Key == "" && len(c.Headers) == 0:
		return llm.Refused, "asks for a key (%s): set " + key + "."
	case status == 401:
		return llm.Refused, "refused the key (%s): check " + key + "."
	case status == 403:
		return llm.Refused, "does not allow this (%s): check what " + key + " may do, and " + model + "."
	case status == 402, status == 429 && (server.Code == "insufficient_quota" || server.Type == "insufficient_quota"):
		return llm.Refused, "says that the account's quota is used up (%s): check its plan and billing."
	case status == 404:
		return llm.Misdirected, "does not know the address or the model (%s): check " + base + ", which usually ends in /v1, and " + model + "."
	case status == 408:
		return llm.TimedOut, "gave up waiting (%s)."
	case status == 429:
		return llm.RateLimited, "asks for fewer calls (%s): the rate is reduced for a while. " + c.setting("PER_MINUTE") + " sets how many it gets."
	case status >= 500:
		return llm.ServerFailed, "failed (%s). It may succeed later; see the server's log for details."
	}
	return llm.BadRequest, "did not accept the request (%s): check " + model + " and how long a text it takes."
}

// retryAfter returns how long the server asked us to wait: the headers hold
// milliseconds, seconds or a date.
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

// A serverError is a failure in the server's words.
type serverError struct {
	Message, Type, Code string
	within              bool // within an answer, under "error"
}

// parseServerError reads an object under "error", a text under "error",
// "message" or "detail", or plain text.
func parseServerError(body []byte) *serverError {
	var v struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &v) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") {
			text = ""
		}
		return &serverError{Message: text}
	}
	var object struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(v.Error, &object) != nil {
		object.Message = plain(v.Error)
	}
	return &serverError{cmp.Or(object.Message, v.Message, plain(v.Detail)), object.Type, plain(object.Code), len(v.Error) > 0 && string(v.Error) != "null"}
}

// plain returns the value of a JSON string, "" for null, and other JSON as it is.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// Error returns at most 240 characters of the message, on one line.
func (e *serverError) Error() string {
	s := []rune(domain.OneLine(e.Message))
	if len(s) > 240 {
		s = append(s[:240], '…')
	}
	return strings.TrimRight(string(s), ".:")
}

var statusOfType = map[string]int{
	"overloaded_error": 529, "rate_limit_error": 429, "rate_limit_exceeded": 429,
	"authentication_error": 401, "permission_error": 403, "invalid_request_error": 400,
}

// status returns the HTTP status that fits a failure within an answer.
func (e *serverError) status() int {
	if code, err := strconv.Atoi(e.Code); err == nil && code >= 400 && code < 600 {
		return code
	}
	return cmp.Or(statusOfType[e.Type], 500)
}
