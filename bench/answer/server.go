package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/bench/program"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

// server is the program with the scripted model and otherwise its default settings, but for how passages are graded.
type server struct {
	*program.Process
	client *http.Client
	asked  atomic.Int64
}

func startServer(clew, data, model, many string, clients int) (*server, error) {
	p, err := program.Serve(clew, data, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model, "LLM_MODEL=scripted", "GRADE_MANY="+many)
	return &server{Process: p, client: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 2 * clients},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, err
}

// cpu returns the processor time that the server has used, in its own code and
// in the system's.
func (s *server) cpu() (time.Duration, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	u, err1 := strconv.Atoi(fields[user])
	k, err2 := strconv.Atoi(fields[system])
	return time.Duration(u+k) * tick, errors.Join(err1, err2)
}

// settle waits until the server has been at rest for three seconds, for a minute at
// most: after documents were added it looks for names of one entity, which is no
// question's cost.
func (s *server) settle(ctx context.Context) error {
	for quiet, seconds := 0, 0; quiet < 3 && seconds < 60; seconds++ {
		before, err := s.cpu()
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, err := s.cpu()
		if err != nil {
			return err
		}
		if quiet++; after-before > 20*time.Millisecond {
			quiet = 0
		}
	}
	return nil
}

// rates holds the time and processor time of some questions.
type rates struct {
	CPU  float64 `json:"cpu_ms"` // of each question
	Each float64 `json:"each_second"`
	P50  float64 `json:"p50"` // milliseconds from the question to the finished answer
	P99  float64 `json:"p99"`
}

// measure asks so many questions, as many at a time as there are clients.
func (s *server) measure(ctx context.Context, questions []string, clients, times int) (r rates, err error) {
	var turn atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	before, err := s.cpu()
	if err != nil {
		return r, err
	}
	began := time.Now()
	errs := make(chan error, clients)
	for range clients {
		go func() {
			for {
				if turn.Add(1) > int64(times) {
					errs <- nil
					return
				}
				start := time.Now()
				if _, err := s.ask(ctx, s.another(questions)); err != nil {
					turn.Store(int64(times))
					errs <- err
					return
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		}()
	}
	for range clients {
		err = errors.Join(err, <-errs)
	}
	seconds := time.Since(began).Seconds()
	after, err2 := s.cpu()
	if err = errors.Join(err, err2); err != nil {
		return r, err
	}
	slices.Sort(took)
	r.CPU, r.Each = ms(after-before)/float64(times), float64(times)/seconds
	r.P50, r.P99 = ms(domain.Percentile(took, 50)), ms(domain.Percentile(took, 99))
	return r, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// firstWords returns the median and the 95th percentile of the time from the
// model's first word to the page's.
func (s *server) firstWords(ctx context.Context, m *model, questions []string, times int) (p50, p95 float64, err error) {
	m.pause.Store(int64(20 * time.Millisecond))
	defer m.pause.Store(0)
	var took []time.Duration
	for range times {
		first, err := s.ask(ctx, s.another(questions))
		if err != nil {
			return 0, 0, err
		}
		took = append(took, first.Sub(time.Unix(0, m.first.Load())))
	}
	slices.Sort(took)
	return ms(domain.Percentile(took, 50)), ms(domain.Percentile(took, 95)), nil
}

var events = regexp.MustCompile(`/w/[^/"]+/runs/[^/"]+/events\?after=\d+`)

// another returns a question in words that were not used yet: the program keeps
// the answers of models, and would not ask for them again.
func (s *server) another(questions []string) string {
	n := s.asked.Add(1)
	return fmt.Sprintf("%s (%d)", questions[int(n)%len(questions)], n)
}

// ask does what a browser does: it sends the form, opens the conversation and
// reads its stream until the answer stands there. It returns when the first
// words came.
func (s *server) ask(ctx context.Context, question string) (first time.Time, err error) {
	response, err := s.do(ctx, http.MethodPost, program.In(link.Ask), url.Values{"question": {question}})
	if err != nil {
		return first, err
	}
	place, _, _ := strings.Cut(response.Header.Get("Location"), "#")
	if err := drain(response, nil); err != nil {
		return first, err
	}
	response, err = s.do(ctx, http.MethodGet, place, nil)
	if err != nil {
		return first, err
	}
	var page bytes.Buffer
	if err := drain(response, &page); err != nil {
		return first, err
	}
	stream := events.Find(page.Bytes())
	if stream == nil { // it was answered before the page was drawn
		return first, answered(page.Bytes())
	}
	response, err = s.do(ctx, http.MethodGet, string(stream), nil)
	if err != nil {
		return first, err
	}
	defer response.Body.Close()
	return watch(response.Body)
}

// watch reads a stream to its end and returns when the first words came.
func watch(body io.Reader) (first time.Time, err error) {
	in := bufio.NewReaderSize(body, 1<<16)
	event := ""
	var last []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return first, fmt.Errorf("the stream broke off: %w", err)
		}
		switch value, isEvent := bytes.CutPrefix(line, []byte("event: ")); {
		case isEvent:
			event = string(bytes.TrimSpace(value))
		case event == "end":
			_, _ = io.Copy(io.Discard, in)
			return first, answered(last)
		case !bytes.HasPrefix(line, []byte("data:")):
		case event == "answer":
			last = append(last, line...)
		case (event == "token" || event == "text") && first.IsZero() && !bytes.Contains(line, []byte(`""`)):
			first = time.Now()
		}
	}
}

// answered checks that a page or a part of it holds the whole answer with its
// citations.
func answered(page []byte) error {
	for _, want := range []string{"The first passage says it outright", "names the same year", `data-cite="2"`} {
		if !bytes.Contains(page, []byte(want)) {
			return fmt.Errorf("the answer lacks %q: %.2000s", want, page)
		}
	}
	return nil
}

func (s *server) do(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		defer response.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return nil, fmt.Errorf("%s %s: status %d: %s", method, path, response.StatusCode, text)
	}
	return response, nil
}

func drain(response *http.Response, to io.Writer) error {
	defer response.Body.Close()
	if to == nil {
		to = io.Discard
	}
	_, err := io.Copy(to, response.Body)
	return err
}
