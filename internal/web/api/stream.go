package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/link"
	pages "github.com/clewhq/clew/views/page"
)

// The addresses of streams.
const (
	AskStream      = "/ask/stream"
	RunEvents      = "/runs/:run/events"
	DocumentEvents = "/documents/:document/events"
)

// Streams sends the steps and words of answers as they come.
type Streams struct {
	Asker     questions.Asker
	Documents *documents.Service

	asks Input
}

// NewStreams returns Streams, and describes them in an API that has the operation ask.
func NewStreams(a *API, asker questions.Asker, docs *documents.Service) *Streams {
	s := &Streams{Asker: asker, Documents: docs}
	for _, r := range a.routes {
		if r.row.Name != "ask" {
			continue
		}
		names := map[string]string{}
		for _, f := range r.fields {
			if f.Name != "wait" {
				names[f.Name] = f.Name
			}
		}
		s.asks = NewInput(r.row, names)
		asking := route{operation.ParseRoute("POST " + AskStream), r.row, r.fields, s.asks.Schema, a.book}
		a.stream(stream{asking, "ask-stream", "Ask a question, and follow the answer as it is written", "clew ask --trace"})
		a.stream(stream{following("GET /runs/{run}/events"), "run-events", "Follow a run of any kind, from the event after Last-Event-ID on", "clew run show"})
		a.stream(stream{following("GET /documents/{document}/events"), "document-events", "Follow how a document is read, from the event after Last-Event-ID on", "clew ingest --trace"})
	}
	return s
}

// A stream is a route that answers with events.
type stream struct {
	route
	id, does, command string
}

// following returns a route that follows what its path names.
func following(text string) route {
	r := route{Route: operation.ParseRoute(text)}
	r.row.Scope, r.row.Out = operation.Read, reflect.TypeFor[Problem]() // errors that end it too early
	r.fields = []operation.Field{{Name: r.Names[0], Type: reflect.TypeFor[string](), Needed: true, Doc: "id of the " + r.Names[0]}}
	return r
}

// line describes the stream on the page of the API.
func (s stream) line() pages.RouteLine {
	line := s.described(nil)
	line.Does, line.Command, line.Answer = s.does, s.command, "events, as they happen"
	line.Curl += " -N"
	return line
}

// stream describes a stream of events.
func (a *API) stream(s stream) {
	a.streams = append(a.streams, s)
	op := &huma.Operation{
		OperationID: s.id, Method: s.Method, Path: s.Path, Summary: s.does, Tags: []string{tag(s.Route)}, Security: []map[string][]string{{"token": {string(s.row.Scope)}}},
		Description: "Server-sent events: step (node, said, ms, step, within, more), token (text), reset (drop the words so far), gist (said, after: how the run went, until the event of a number), " +
			"of a question answer (as POST /ask returns it), of a document document (as GET /documents lists it), and error (a problem). The same without events: POST /ask, GET /runs/{run}/answer, " +
			"GET /runs/{id} and GET /documents/{document}.",
		Responses: map[string]*huma.Response{
			"200":     {Description: "Events", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}},
			"default": a.book.problem(),
		},
	}
	if s.body != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{echo.MIMEApplicationJSON: {Schema: a.book.named(typeName(s.id)+"Body", s.body)}}}
	} else {
		op.Parameters = []*huma.Param{{Name: s.Names[0], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}, {Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	a.book.AddOperation(op)
}

// Ask asks a question and streams its answer.
func (s *Streams) Ask(c echo.Context) error {
	if err := auth.Allow(c.Request().Context(), operation.Ask); err != nil {
		return err
	}
	body, err := readAll(c)
	if err != nil {
		return err
	}
	in, err := s.asks.Read(body)
	if err != nil {
		return err
	}
	m, err := s.Asker.Ask(c.Request().Context(), *in.(*questions.Asking), nil)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, link.Mounted(c.Request().Context(), Root+"/runs/"+string(m.Run)+"/events"))
	return s.follow(c, m.Run, place{})
}

// Events streams a run from the event of the header Last-Event-ID on.
func (s *Streams) Events(c echo.Context) error {
	ctx, run := c.Request().Context(), domain.RunID(c.Param("run"))
	if err := auth.Allow(ctx, operation.Read); err != nil {
		return err
	}
	if _, err := s.Asker.Queue.Get(ctx, domain.WorkspaceOf(ctx), run); err != nil {
		return err
	}
	seen, err := lastEvent(c)
	if err != nil {
		return err
	}
	return s.follow(c, run, seen)
}

// Document streams how a document is read from the event of the header Last-Event-ID on, and then the document.
func (s *Streams) Document(c echo.Context) error {
	ctx := c.Request().Context()
	if err := auth.Allow(ctx, operation.Read); err != nil {
		return err
	}
	doc, _, err := s.Documents.Known(ctx, c.Param("document"))
	if err != nil {
		return err
	}
	seen, err := lastEvent(c)
	if err != nil {
		return err
	}
	return s.followTo(c, doc.Run, seen, "document", func() (any, error) {
		_, listed, err := s.Documents.Known(ctx, string(doc.Becomes()))
		return listed, err
	})
}

// A place is what the client of a stream has seen: what happened up to the event of a number, and so many of the steps that ended with
// the next one. It is written 12, or 12.1.
type place struct{ event, steps int }

// String returns the place as the id of an event on a stream.
func (p place) String() string {
	if p.steps == 0 {
		return strconv.Itoa(p.event)
	}
	return strconv.Itoa(p.event) + "." + strconv.Itoa(p.steps)
}

// lastEvent returns what a client has seen, or the beginning.
func lastEvent(c echo.Context) (place, error) {
	last := c.Request().Header.Get("Last-Event-ID")
	if last == "" {
		return place{}, nil
	}
	number, steps, within := strings.Cut(last, ".")
	event, err := strconv.Atoi(number)
	seen := place{event: event}
	if within && err == nil {
		seen.steps, err = strconv.Atoi(steps)
	}
	if err != nil || min(seen.event, seen.steps) < 0 {
		return seen, respond.BadRequest("The header Last-Event-ID is not the id of an event of this stream.")
	}
	return seen, nil
}

// follow streams a run and then its answer, if it answers a question. It goes on if the client leaves.
func (s *Streams) follow(c echo.Context, run domain.RunID, seen place) error {
	return s.followTo(c, run, seen, "answer", func() (any, error) { return s.Asker.Await(c.Request().Context(), run, 0) })
}

// followTo streams a run and then what came of it, unless that fails with kind NotFound.
func (s *Streams) followTo(c echo.Context, run domain.RunID, seen place, event string, outcome func() (any, error)) error {
	out, err := sse.Open(c)
	if err != nil {
		return nil // the client is gone
	}
	defer out.Close()
	ctx := c.Request().Context()
	send := func(event string, v any) bool {
		b, err := json.Marshal(operation.Filled(v))
		return err == nil && out.Send(seen.String(), event, b) == nil
	}
	for news, err := range s.Asker.Follow(ctx, run, seen.event) {
		if err != nil {
			send("error", problemOf(err))
			return nil
		}
		frames, after := framesOf(news, seen)
		for _, f := range frames {
			if seen = f.seen; !send(f.event, f.data) {
				return nil
			}
		}
		seen = after
	}
	if ctx.Err() != nil {
		return nil
	}
	switch v, err := outcome(); {
	case domain.KindOf(err) == domain.NotFound:
	case err != nil:
		send("error", problemOf(err))
	default:
		send(event, v)
	}
	return nil
}

// A frame is an event on a stream, with what a client has seen that got it.
type frame struct {
	seen  place
	event string
	data  any
}

// framesOf returns what a client that has seen a place is sent of news, and what it has seen after that. Who is cut off between two
// frames gets what is missing, once.
func framesOf(news questions.News, seen place) (list []frame, after place) {
	at := seen
	add := func(event string, data any) { list = append(list, frame{at, event, data}) }
	if news.Reset {
		add("reset", struct{}{})
	}
	steps := map[int]int{} // by the event before the one that ended them
	for _, step := range news.Steps {
		before := step.At - 1
		if steps[before]++; before != seen.event || steps[before] > seen.steps {
			at = place{before, steps[before]}
			add("step", step)
		}
	}
	if news.Text != "" {
		add("token", map[string]string{"text": news.Text})
	}
	after = seen
	if n := len(news.Events); n > 0 {
		after = place{event: news.Events[n-1].Seq}
	}
	if news.Gist != "" {
		add("gist", Gist{news.Gist, after.event})
	}
	if len(list) > 0 {
		list[len(list)-1].seen = after
	}
	return list, after
}

// Gist is how a run went until it ended or asked a person.
type Gist struct {
	Said  string `json:"said"`
	After int    `json:"after"` // number of the last event
}

// problemOf returns an error as an event tells it.
func problemOf(err error) Problem {
	told := respond.ProblemOf(err)
	return Problem{Title: http.StatusText(told.Status), Status: told.Status, Detail: told.Message}
}
