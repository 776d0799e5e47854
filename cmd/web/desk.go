package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/api"
)

// A desk carries out commands that wait for what they begin, in the library of this machine or on a server.
type desk interface {
	// carry carries out an operation, and returns its output.
	carry(ctx context.Context, row operation.Row[*app], in any) (any, error)

	// look returns the value at a path of the API.
	look(ctx context.Context, path string) (any, error)

	// news yields the events of a run that answers, after a given event, until it ends or asks a person.
	news(ctx context.Context, run domain.RunID, after int) iter.Seq2[questions.News, error]

	// readAgain follows queued documents until the last has been read.
	readAgain(ctx context.Context, ids []domain.DocumentID, how reading) error

	// halt stops the work that an output reports as running, because nobody waits for it any more.
	halt(ctx context.Context, out any)
}

// lookEach is how often a command looks how far the work is that it began.
const lookEach = 100 * time.Millisecond

// haltTimeout is how long a server may take to stop abandoned work.
const haltTimeout = 10 * time.Second

// seenThrough carries out an operation. If its command waits, it waits until the work has ended or asks a person, and
// reports progress meanwhile.
func seenThrough(ctx context.Context, d desk, row operation.Row[*app], in any, t *teller) (any, error) {
	out, err := d.carry(ctx, row, in)
	if err != nil {
		return out, err
	}
	out, err = awaited(ctx, d, row, out, t)
	if ctx.Err() != nil {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), haltTimeout)
		defer cancel()
		d.halt(after, out)
		return out, stopped()
	}
	return out, err
}

// awaited returns the final form of an output.
func awaited(ctx context.Context, d desk, row operation.Row[*app], out any, t *teller) (any, error) {
	for after := 0; ctx.Err() == nil; {
		begun, ok := out.(operation.Begun)
		if !ok || !row.Waits || begun.At() == "" {
			break
		}
		t.tell(out)
		reply, answers := out.(questions.Reply)
		switch {
		case answers && reply.Asks != nil:
			return out, nil
		case answers:
			for news, err := range d.news(ctx, domain.RunID(reply.Run), max(after, reply.After)) {
				if err != nil {
					return out, err
				}
				t.tell(news)
				if n := len(news.Events); n > 0 {
					after = news.Events[n-1].Seq
				}
			}
		default:
			_ = domain.Sleep(ctx, lookEach) // the loop checks ctx
		}
		next, err := d.look(ctx, begun.At())
		if err != nil {
			return out, err
		}
		out = next
	}
	return out, nil
}

// A teller prints how far work is, and the words of an answer as they are written, unless it prints steps: on a
// terminal the two would be mixed within a line.
type teller struct {
	env    env
	asJSON bool
	steps  bool            // print each step of an answer's run as it ends, and its words only when it is complete
	said   strings.Builder // words of the answer printed so far
	last   string          // progress line
}

// tell prints what has happened: an output on the way, or questions.News.
func (t *teller) tell(what any) {
	switch what := what.(type) {
	case questions.News:
		if !t.asJSON && !t.steps {
			fmt.Fprint(t.env.stdout, what.Text)
			t.said.WriteString(what.Text)
		}
		t.trace(what)
	case operation.Progressing:
		if line := what.Progress(); line != t.last {
			t.last = line
			fmt.Fprintln(t.env.stderr, line)
		}
	}
}

// trace prints the steps of a run that answers, and how it went, if that is wanted.
func (t *teller) trace(news questions.News) {
	if !t.steps {
		return
	}
	for _, step := range news.Steps {
		step.Print(t.env.stderr)
	}
	if news.Gist != "" {
		fmt.Fprintln(t.env.stderr, news.Gist)
	}
}

// print prints what an operation returned.
func (t *teller) print(row operation.Row[*app], out any) error {
	t.tell(out)
	reply, answers := out.(questions.Reply)
	list, lists := out.(interface{ Array() any })
	switch {
	case answers && reply.Asks != nil && t.asJSON:
		return printJSON(t.env.stdout, askedJSON{domain.RunID(reply.Run), *reply.Asks})
	case answers && reply.Asks != nil:
		questions.PrintAsked(t.env.stdout, domain.RunID(reply.Run), *reply.Asks)
		return nil
	case answers && reply.Status != ledger.MessageDone:
		return domain.Errorf(domain.Unavailable, "The question was not answered: %s", cmp.Or(reply.Problem, "it was stopped."))
	case t.asJSON && lists:
		return printJSON(t.env.stdout, list.Array())
	case t.asJSON:
		return printJSON(t.env.stdout, out)
	case answers:
		return reply.PrintAfter(t.env.stdout, t.said.String())
	}
	return row.Text(t.env.stdout, out)
}

// onDesk opens the server that is named, or the library of this machine, for a command that is written by hand.
func (s env) onDesk(cmd *cobra.Command, load func() (config.Config, error), person string, f func(ctx context.Context, d desk) error) error {
	ctx := domain.WithReader(domain.WithPerson(cmd.Context(), person), "")
	if server, ok := remoteOf(cmd, s); ok {
		return f(ctx, server)
	}
	return onGraph(ctx, s, load, func(ctx context.Context, a *app) error {
		here, err := openLocal(ctx, a, nil)
		if err != nil {
			return err
		}
		return cmp.Or(f(ctx, here), here.close(ctx))
	})
}

// operated carries out the operation of a name with some fields of its input, and what it begins.
func operated[Out any](ctx context.Context, d desk, name string, fields map[string]string, t *teller) (Out, error) {
	row := rowNamed(name)
	in := reflect.New(row.In).Interface()
	out, err := any(nil), operation.Fill(in, func(f operation.Field) []string {
		if value, ok := fields[f.Name]; ok {
			return []string{value}
		}
		return nil
	})
	if err == nil {
		out, err = seenThrough(ctx, d, row, in, t)
	}
	typed, _ := out.(Out)
	return typed, err
}

// rowNamed returns the operation of a name. It panics if there is none.
func rowNamed(name string) operation.Row[*app] {
	for _, o := range offers() {
		for _, row := range o.rows {
			if row.Name == name {
				return row
			}
		}
	}
	panic("no operation is named " + name)
}

// local is the library of this machine. It carries out itself what it begins, unless a server is faster.
type local struct {
	app    *app
	worker *job.Worker

	work   sync.WaitGroup
	mu     sync.Mutex
	failed []error // of the started work
}

// openLocal returns the library of this machine for a command that waits. kinds are the kinds of runs that follow from what it begins.
func openLocal(ctx context.Context, a *app, kinds []string) (*local, error) {
	each := map[string]int{}
	for _, kind := range kinds {
		each[kind] = 1
	}
	l := &local{app: a, worker: a.worker(each)}
	return l, l.worker.Start(ctx)
}

// close waits for what was begun, and returns why it has failed.
func (l *local) close(ctx context.Context) error {
	l.work.Wait()
	l.failed = append(l.failed, l.worker.Stop(context.WithoutCancel(ctx)))
	return errors.Join(l.failed...)
}

func (l *local) carry(ctx context.Context, row operation.Row[*app], in any) (any, error) {
	if row.Waits {
		if err := l.app.catchUp(ctx); err != nil {
			return nil, err
		}
	}
	out, err := row.Do(ctx, l.app, in)
	if carried, ok := out.(operation.Carried); ok && err == nil {
		for _, run := range carried.Runs() {
			l.work.Go(func() {
				if err := l.carryOut(ctx, run); err != nil {
					l.mu.Lock()
					defer l.mu.Unlock()
					l.failed = append(l.failed, err)
				}
			})
		}
	}
	return out, err
}

// carryOut carries out a run, with one try, unless another process does.
func (l *local) carryOut(ctx context.Context, id domain.RunID) error {
	mine, err := l.worker.TakeUp(ctx, id)
	if err != nil || !mine {
		return err
	}
	r, err := l.worker.Do(ctx, id)
	if err != nil || !r.Status.Pending() || r.Status.Asleep() {
		return err
	}
	return l.app.giveUp(context.WithoutCancel(ctx), r)
}

func (l *local) look(ctx context.Context, path string) (any, error) {
	row, _, in, err := rowAt(path)
	if err != nil {
		return nil, err
	}
	return row.Do(ctx, l.app, in)
}

// rowAt returns the operation that looks at a path of the API, with its route and its input.
func rowAt(path string) (operation.Row[*app], operation.Route, any, error) {
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, text := range row.Routes {
				r := operation.ParseRoute(text)
				if in, ok := inputAt(row, r, path); ok {
					return row, r, in, nil
				}
			}
		}
	}
	return operation.Row[*app]{}, operation.Route{}, nil, domain.Errorf(domain.NotFound, "There is nothing at %s.", path)
}

// inputAt returns the input of an operation for a path, if that is of its route.
func inputAt(row operation.Row[*app], r operation.Route, path string) (any, bool) {
	want, parts := strings.Split(r.Path, "/"), strings.Split(path, "/")
	if r.Method != http.MethodGet || len(want) != len(parts) {
		return nil, false
	}
	given := map[string][]string{}
	for i, part := range parts {
		name, is := strings.CutPrefix(want[i], "{")
		if !is && part != want[i] {
			return nil, false
		}
		given[strings.TrimSuffix(name, "}")] = []string{part}
	}
	in := reflect.New(row.In).Interface()
	err := operation.Fill(in, func(f operation.Field) []string {
		if !slices.Contains(r.Names, f.Name) {
			return nil
		}
		return given[f.Name]
	})
	return in, err == nil
}

func (l *local) news(ctx context.Context, run domain.RunID, after int) iter.Seq2[questions.News, error] {
	return l.app.asker().Follow(ctx, run, after)
}

// halt does nothing: what this process works on goes back to the queue when it ends.
func (l *local) halt(context.Context, any) {}

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
