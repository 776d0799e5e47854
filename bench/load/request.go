package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/bench/program"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// A tooManyError is the answer of a server that has enough to do.
type tooManyError struct{ after time.Duration }

func (e *tooManyError) Error() string { return fmt.Sprintf("come back in %s", e.after) }

func (s *server) get(ctx context.Context, client *http.Client, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return nil, err
	}
	body, _, err := do(client, r)
	return body, err
}

func (s *server) post(ctx context.Context, client *http.Client, path string, form url.Values) (body []byte, place string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return do(client, r)
}

// do sends a request. It returns a tooManyError for 429 and another error for
// any other failure.
func do(client *http.Client, r *http.Request) (body []byte, place string, err error) {
	response, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return nil, "", fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err)
	}
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return nil, "", &tooManyError{after: time.Duration(max(seconds, 1)) * time.Second}
	case response.StatusCode >= http.StatusBadRequest:
		return nil, "", fmt.Errorf("%s %s: status %d: %.300s", r.Method, r.URL.Path, response.StatusCode, body)
	}
	return body, response.Header.Get("Location"), nil
}

var (
	events = regexp.MustCompile(`/w/[^/"]+/runs/[^/"]+/events\?after=\d+`)
	status = regexp.MustCompile(`data-testid="turn" data-status="([a-z]+)"`)
)

// ask asks a question in a new conversation and watches it until it is answered,
// or reloads its page where there is no stream to be had.
func (s *server) ask(ctx context.Context, p *person, i int) error {
	questions := sample.Questions()
	_, place, err := s.post(ctx, p.client, program.In(link.Ask), url.Values{"question": {questions[i%len(questions)].Question}})
	if err != nil {
		return err
	}
	conversation, _, _ := strings.Cut(place, "#")
	for ctx.Err() == nil {
		page, err := s.get(ctx, p.client, conversation)
		if err != nil {
			return err
		}
		stream := events.Find(page)
		if stream == nil {
			if found := status.FindSubmatch(page); found == nil || string(found[1]) != "done" {
				return fmt.Errorf("the question in %s was not answered: %q", conversation, found)
			}
			return nil
		}
		if watched, err := s.watch(ctx, p.client, string(stream)); err != nil {
			return err
		} else if !watched {
			pause(ctx, time.Second)
		}
	}
	return ctx.Err()
}

// watch reads a stream to its end and reports whether it could be opened.
func (s *server) watch(ctx context.Context, client *http.Client, path string) (bool, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return false, err
	}
	response, err := client.Do(r)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		return false, nil
	default:
		return false, fmt.Errorf("GET %s: status %d", r.URL.Path, response.StatusCode)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "event: end" {
			return true, nil
		}
	}
	return true, errors.Join(fmt.Errorf("the stream %s broke off", path), lines.Err())
}

// uploads numbers the uploaded documents, which must differ to be read.
var uploads atomic.Int64

// upload adds a document and does not wait until it is read.
func (s *server) upload(ctx context.Context, p *person, _ int) error {
	n := uploads.Add(1)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("files", fmt.Sprintf("letter-%d.txt", n))
	if err != nil {
		return err
	}
	fmt.Fprintf(file, "Letter %d\n\nHarold Number%d worked for the Carrow Foundry. He lived in Osterby and wrote %d letters.\n", n, n, n)
	if err := w.Close(); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+program.In(link.Documents), &form)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	_, _, err = do(p.client, r)
	return err
}
