package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/api"
)

func (r remote) carry(ctx context.Context, row operation.Row[*app], in any) (any, error) {
	return r.fetch(ctx, row, routeFor(row, in).Target(in))
}

// fetch returns the output of an operation by a request.
func (r remote) fetch(ctx context.Context, row operation.Row[*app], t operation.Target) (any, error) {
	out := reflect.New(row.Out)
	err := r.do(ctx, t, "application/json", func(body io.Reader) error {
		into := out.Interface()
		if row.Lists() {
			into = &struct {
				Items any `json:"items"`
			}{into}
		}
		return json.NewDecoder(body).Decode(into)
	})
	return out.Elem().Interface(), err
}

func (r remote) look(ctx context.Context, path string) (any, error) {
	row, route, in, err := rowAt(path)
	if err != nil {
		return nil, err
	}
	return r.fetch(ctx, row, route.Target(in))
}

func (r remote) news(ctx context.Context, run domain.RunID, after int) iter.Seq2[questions.News, error] {
	return func(yield func(questions.News, error) bool) {
		t := operation.Target{Method: http.MethodGet, Path: "/runs/" + string(run) + "/events"}
		headers := map[string]string{"Accept": "text/event-stream", "Last-Event-ID": strconv.Itoa(after)}
		err := r.send(ctx, t, headers, func(body io.Reader) error {
			return eachEvent(body, func(name string, data []byte) error {
				news, err := newsOf(name, data)
				if err == nil && !yield(news, nil) {
					err = errLeft
				}
				return err
			})
		})
		if err != nil && !errors.Is(err, errLeft) && ctx.Err() == nil {
			yield(questions.News{}, err)
		}
	}
}

// errLeft ends a stream that nobody follows any more.
var errLeft = errors.New("left")

// newsOf parses a server-sent event about a run that answers.
func newsOf(name string, data []byte) (news questions.News, err error) {
	switch name {
	case "token":
		var token struct{ Text string }
		err = json.Unmarshal(data, &token)
		news.Text = token.Text
	case "reset":
		news.Reset = true
	case "step":
		news.Steps = make([]questions.Told, 1)
		err = json.Unmarshal(data, &news.Steps[0])
	case "gist":
		var gist api.Gist
		err = json.Unmarshal(data, &gist)
		news.Gist, news.Events = gist.Said, []trace.Event{{Seq: gist.After}}
	case "error":
		var p api.Problem
		if err = json.Unmarshal(data, &p); err == nil {
			err = domain.Errorf(domain.Unavailable, "%s", p.Detail)
		}
	}
	return news, err
}

// halt stops abandoned work on the server. An evaluation can continue later.
func (r remote) halt(ctx context.Context, out any) {
	stop := func(name, field, id string) {
		if _, err := operated[operation.Nothing](ctx, r, name, map[string]string{field: id}, &teller{env: r.env}); err != nil {
			fmt.Fprintf(r.env.stderr, "It may still be going on at %s: %s\n", r.server, domain.InWords(err))
		}
	}
	if e, ok := out.(evaluation.Evaluation); ok && e.Working() {
		stop("eval questions stop", "evaluation", string(e.ID))
		fmt.Fprintf(r.env.stderr, "clew eval questions go-on %s asks the rest.\n", e.ID)
	}
	if carried, ok := out.(operation.Carried); ok {
		for _, run := range carried.Runs() {
			stop("run stop", "id", string(run))
		}
	}
}
