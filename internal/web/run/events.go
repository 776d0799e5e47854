package run

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// Events streams a run from the event that the page has seen: its picture, its
// steps, the words of its answer, and the finished turn.
func (h *Handler) Events(c echo.Context) error {
	w := request.Workspace(c)
	run, err := h.Runs.Queue.Get(c.Request().Context(), w, domain.RunID(c.Param("id")))
	if err != nil {
		return err
	}
	after := sse.LastID(c)
	seen, err := h.Runs.View(c.Request().Context(), w, run.Kind, run.ID)
	if err != nil {
		return err
	}
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	ctx, cancel := h.untilClosing(c.Request().Context())
	defer cancel()
	s := stream{h: h, c: c, out: out, run: run, view: seen}
	if after < seen.Last || after == 0 {
		if err := s.all(); err != nil {
			return nil // the reader has gone: it comes back with the last id it saw
		}
	}
	over := seen.Settled || seen.Last == 0 && run.Status.Ended() || s.silent()
	if !over && s.follow(ctx) != nil {
		return nil // as above
	}
	_ = s.end()
	return nil
}

// follow passes on what happens until the run is settled.
func (s *stream) follow(ctx context.Context) error {
	for item, err := range s.h.Runs.Hub.Watch(ctx, s.run.Workspace, s.run.ID, s.view.Last) {
		if err != nil {
			return err
		}
		if err := s.send(item); err != nil {
			return err
		}
		if s.silent() {
			return nil
		}
	}
	return ctx.Err()
}

// silent reports whether nothing will come until a person has answered.
func (s *stream) silent() bool {
	part, ok := s.h.Parts[s.run.Kind]
	if !ok || !s.view.Asks {
		return false
	}
	_, live, err := part.Draw(s.c.Request().Context(), s.run, s.view)
	return err == nil && !live
}

// untilClosing ends with the request or with the server, whichever is first.
func (h *Handler) untilClosing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-h.Closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// stream is one open page.
type stream struct {
	h    *Handler
	c    echo.Context
	out  *sse.Stream
	run  job.Run
	view *trace.View
}

// all sends the whole picture, for a page that is behind.
func (s *stream) all() error {
	for _, step := range s.view.Steps {
		if err := s.html("step", partial.Step(present.Step(s.view, step))); err != nil {
			return err
		}
	}
	if err := s.figures(s.view.Figures); err != nil {
		return err
	}
	return s.picture()
}

// send passes on what is new. A step that several events changed is sent once.
func (s *stream) send(item trace.Item) error {
	var changed []*trace.Step
	var settled []domain.Figure
	complete := false
	for _, e := range item.Events {
		settled = append(settled, s.figure(e)...)
		complete = complete || e.Custom == domain.EventWritten
		for _, step := range s.view.Apply(e) {
			changed = appendOnce(changed, step)
		}
	}
	for _, step := range changed {
		if err := s.html("step", partial.Step(present.Step(s.view, step))); err != nil {
			return err
		}
	}
	if len(item.Events) > 0 {
		if err := s.picture(); err != nil {
			return err
		}
	}
	if err := s.figures(settled); err != nil {
		return err
	}
	if err := s.words(item); err != nil || !complete {
		return err
	}
	return s.out.Send("", "written", []byte("{}"))
}

// figure is the chart that an event tells of.
func (s *stream) figure(e trace.Event) []domain.Figure {
	var f domain.Figure
	if e.Custom != domain.EventFigure || json.Unmarshal(e.Payload, &f) != nil {
		return nil
	}
	return []domain.Figure{f}
}

// figures sends charts of an answer as they are now.
func (s *stream) figures(list []domain.Figure) error {
	draw := s.h.Parts[s.run.Kind].Figure
	if draw == nil {
		return nil
	}
	for _, f := range list {
		drawn, err := draw(s.c.Request().Context(), s.run, f)
		if err != nil {
			return err
		}
		if err := s.html("figure", drawn); err != nil {
			return err
		}
	}
	return nil
}

func appendOnce(list []*trace.Step, step *trace.Step) []*trace.Step {
	if slices.Contains(list, step) {
		return list
	}
	return append(list, step)
}

// picture sends the graph and the totals, and the event's number with them, so
// that a page which comes back goes on behind it.
func (s *stream) picture() error {
	drawn := s.h.Runs.Draw(s.view, s.run.Kind)
	if err := s.html("totals", partial.Totals(drawn)); err != nil {
		return err
	}
	html, err := respond.Render(s.c, partial.GraphEvent(drawn))
	if err != nil {
		return err
	}
	return s.out.Send(strconv.Itoa(s.view.Last), "graph", html)
}

// words sends text: in place of what is shown when it begins anew, or to be
// appended.
func (s *stream) words(item trace.Item) error {
	event := "token"
	switch {
	case item.Reset:
		event = "text"
	case item.Text == "":
		return nil
	}
	text, err := json.Marshal(item.Text)
	if err != nil {
		return err
	}
	return s.out.Send("", event, text)
}

// end sends the finished part, and tells the page to stop watching.
func (s *stream) end() error {
	if part, ok := s.h.Parts[s.run.Kind]; ok {
		drawn, _, err := part.Draw(s.c.Request().Context(), s.run, s.view)
		if err == nil {
			err = s.html("answer", drawn)
		}
		if err != nil && domain.KindOf(err) != domain.NotFound { // the subject may be gone
			return err
		}
	}
	return s.out.Send(strconv.Itoa(s.view.Last), "end", []byte("{}"))
}

func (s *stream) html(event string, component templ.Component) error {
	b, err := respond.Render(s.c, component)
	if err != nil {
		return err
	}
	return s.out.Send("", event, b)
}
