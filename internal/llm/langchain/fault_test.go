package langchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

const secret = "sk-very-secret-key"

func faultOf(t *testing.T, err error) *llm.Error {
	t.Helper()
	var fault *llm.Error
	if !errors.As(err, &fault) {
		t.Fatalf("error is %T: %v", err, err)
	}
	if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error holds the key: %s", err)
	}
	if !strings.HasSuffix(err.Error(), ".") {
		t.Errorf("the error is not a sentence: %s", err)
	}
	return fault
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		fault llm.Fault
		says  []string
		wait  time.Duration
	}{
		"401":                 {llmtest.Fail(401, "Incorrect API key provided: sk-very-sec**key"), llm.Refused, []string{"LLM_API_KEY", "401"}, 0},
		"403":                 {llmtest.Fail(403, "no access"), llm.Refused, []string{"403: no access"}, 0},
		"404":                 {llmtest.Fail(404, "model 'scripted' not found"), llm.Misdirected, []string{"LLM_MODEL", "LLM_BASE_URL", "/v1"}, 0},
		"400":                 {llmtest.Fail(400, "context too long"), llm.BadRequest, []string{"context too long"}, 0},
		"429 in seconds":      {llmtest.TooMany("7"), llm.RateLimited, []string{"LLM_PER_MINUTE", "wait 7s"}, 7 * time.Second},
		"429 until a date":    {llmtest.TooMany("Thu, 01 Jan 2026 00:00:30 GMT"), llm.RateLimited, nil, 30 * time.Second},
		"429 without a time":  {llmtest.TooMany(""), llm.RateLimited, nil, 0},
		"429 without money":   {llmtest.Reply{Status: 429, Raw: `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`}, llm.Refused, []string{"billing"}, 0},
		"500":                 {llmtest.ServerError(), llm.ServerFailed, []string{"500: The server had an error", "later"}, 0},
		"503 as text":         {llmtest.Reply{Status: 503, Raw: "loading model"}, llm.ServerFailed, []string{"loading model"}, 0},
		"502 as HTML":         {llmtest.Reply{Status: 502, Raw: "<html>bad gateway"}, llm.ServerFailed, []string{"(502)"}, 0},
		"a redirect":          {llmtest.Reply{Status: 302, Raw: "moved", Headers: map[string]string{"Location": "/elsewhere"}}, llm.Misdirected, []string{"LLM_BASE_URL"}, 0},
		"HTML":                {llmtest.HTML(), llm.Misdirected, []string{"web page", "LLM_BASE_URL"}, 0},
		"broken JSON":         {llmtest.BrokenJSON(), llm.BadAnswer, []string{"broken JSON", "LLM_PROVIDER"}, 0},
		"other JSON":          {llmtest.Raw(`{"hello":"world"}`), llm.BadAnswer, []string{"no answer"}, 0},
		"an error in a 200":   {llmtest.Raw(`{"error":{"message":"upstream is busy","code":429}}`), llm.RateLimited, []string{"upstream is busy"}, 0},
		"nothing":             {llmtest.Raw("  \n"), llm.BadAnswer, []string{"empty"}, 0},
		"a closed connection": {llmtest.Drop(), llm.Unreachable, []string{"closed the connection"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, tt.reply)
			c := chatOf(t, s, Config{Key: secret, Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }})
			_, err := c.Complete(t.Context(), ask("Where?"))
			fault := faultOf(t, err)
			if fault.Fault != tt.fault || fault.After != tt.wait {
				t.Errorf("fault %q, wait %s; want %q, %s: %v", fault.Fault, fault.After, tt.fault, tt.wait, err)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q: %s", part, err)
				}
			}
			if strings.Contains(err.Error(), strings.TrimPrefix(s.URL, "http://")) || !strings.Contains(llm.InWords(err), s.URL) {
				t.Errorf("everybody reads %q, and who connects the model reads %q", err, llm.InWords(err))
			}
			if message, _ := domain.MessageOf(err); message != fault.Message || domain.RetryAfter(err) != tt.wait {
				t.Errorf("message %q, retry after %s; want %q, %s", message, domain.RetryAfter(err), fault.Message, tt.wait)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://user:secret@" + l.Addr().String() + "/v1"
	l.Close()
	c, err := NewChat(Config{Provider: OpenAI, BaseURL: address, Model: "m", Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Complete(t.Context(), ask("Where?"))
	fault := faultOf(t, err)
	if fault.Fault != llm.Unreachable || !domain.Temporary(err) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("fault %q: %v", fault.Fault, err)
	}
}

func TestStreamThatBreaksOff(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		s.On(llmtest.Any, llmtest.Say("In the old town of Warsaw.").CutAfter(2))
		r, seen := ask("Where?"), ""
		r.OnText = func(text string) { seen += text }
		_, err := c.Complete(t.Context(), r)
		if fault := faultOf(t, err); fault.Fault != llm.Unreachable || !strings.Contains(err.Error(), "broke off") {
			t.Errorf("fault %q: %v", fault.Fault, err)
		}
		if seen != "In the " {
			t.Errorf("seen %q before the break", seen)
		}
	})
}

func TestErrorsWithinStreams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider, stream string
		fault            llm.Fault
	}{
		{OpenAI, "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", llm.ServerFailed},
		{OpenAI, "data: {\"choices\":[{\"delta\":{\"content\":\"In\"}}]}\n\ndata: nonsense\n\n", llm.BadAnswer},
		{OpenAI, ": only a comment\n\n", llm.Unreachable},
		{Anthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", llm.ServerFailed},
	} {
		t.Run(tt.provider+" "+string(tt.fault), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.Raw(tt.stream))
			r := ask("Where?")
			r.OnText = func(string) {}
			_, err := chatOf(t, s, Config{Provider: tt.provider}).Complete(t.Context(), r)
			if fault := faultOf(t, err); fault.Fault != tt.fault {
				t.Errorf("fault %q, want %q: %v", fault.Fault, tt.fault, err)
			}
		})
	}
}

func TestTooSlow(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("late").After(make(chan struct{})))
	_, err := chatOf(t, s, Config{Timeout: 20 * time.Millisecond}).Complete(t.Context(), ask("Where?"))
	fault := faultOf(t, err)
	if fault.Fault != llm.TimedOut || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "LLM_TIMEOUT") {
		t.Errorf("fault %q: %v", fault.Fault, err)
	}
}

// TestTheTimeoutOfAStreamIsOfItsSilences calls a server that sends a piece every tenth of the timeout, for twice as long as
// it, and then servers that say no more after the first piece: one nothing at all, one only that the connection is open.
func TestTheTimeoutOfAStreamIsOfItsSilences(t *testing.T) {
	t.Parallel()
	const timeout, pieces = time.Second, 20
	for name, tt := range map[string]struct {
		pieces int
		then   string
	}{"slow": {pieces, "data: [DONE]\n\n"}, "silent": {1, ""}, "empty": {1, ": open\n\ndata: {\"choices\":[{\"delta\":{}}]}\n\n"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				send := func(line string) {
					_, _ = io.WriteString(w, line)
					_ = http.NewResponseController(w).Flush()
					time.Sleep(timeout / 10)
				}
				for i := range tt.pieces {
					send(fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":\"%d \"}}]}\n\n", i))
				}
				if tt.pieces == pieces {
					send("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
				}
				for send(tt.then); r.Context().Err() == nil && tt.pieces < pieces; {
					send(tt.then)
				}
			}))
			t.Cleanup(s.Close)
			c, err := NewChat(Config{Provider: OpenAI, BaseURL: s.URL, Model: "slow", Timeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			r := ask("Where?")
			r.OnText = func(string) {}
			answer, err := c.Complete(t.Context(), r)
			if tt.pieces == pieces {
				if err != nil || !strings.HasSuffix(answer.Text, "19 ") {
					t.Errorf("%q, %v", answer.Text, err)
				}
				return
			}
			if fault := faultOf(t, err); fault.Fault != llm.TimedOut || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "silent for 1s: raise LLM_TIMEOUT") {
				t.Errorf("fault %q: %v", fault.Fault, err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		ctx, cancel := context.WithCancel(t.Context())
		s.On(llmtest.Any, llmtest.Compute(func(llmtest.Request) llmtest.Reply {
			cancel()
			return llmtest.Say("late").After(make(chan struct{}))
		}))
		_, err := c.Complete(ctx, ask("Where?"))
		if fault := faultOf(t, err); fault.Fault != llm.Cancelled || !errors.Is(err, context.Canceled) || domain.Temporary(err) {
			t.Errorf("fault %q: %v", fault.Fault, err)
		}
	})
}

func TestAnswerTooLong(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say(strings.Repeat("long ", 1000)))
	c := chatOf(t, s, Config{MaxAnswer: 2000})
	for _, streamed := range []bool{false, true} {
		r := ask("Tell.")
		if streamed {
			r.OnText = func(string) {}
		}
		_, err := c.Complete(t.Context(), r)
		if fault := faultOf(t, err); fault.Fault != llm.BadAnswer || !strings.Contains(err.Error(), "2000 bytes") {
			t.Errorf("fault %q: %v", fault.Fault, err)
		}
	}
}

func TestInvalidConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"LLM_PROVIDER": {Provider: "cohere", Model: "m", BaseURL: "http://localhost"},
		"LLM_MODEL":    {Provider: OpenAI},
		"LLM_BASE_URL": {Provider: OpenAI, Model: "m", BaseURL: "localhost:11434"},
	} {
		_, err := NewChat(c)
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewEmbedder(Config{Provider: Anthropic, Model: "m"}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("embeddings by Anthropic: %v", err)
	}
}
