package run

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/sse"
	"github.com/clewhq/clew/views/partial"
)

// Events streams a run from the event the page has seen: its graph, its steps,
// the text of its answer, and the finished part. It fails with kind NotFound
// for an unknown run.
func (h *Handler) Events(c echo.Context) error {
	w := request.Workspace(c)
	run, err := h.Runs.Queue.Get(c.Request().Context(), w, domain.RunID(c.Param("id")))
	if err != nil {
		return err
	}
	after := sse.LastID(c)
	events, err := h.Runs.Hub.Events(c.Request().Context(), w, run.ID, 0)
	if err != nil {
		return err
	}
	seen := h.Runs.Fold(run.Kind, run.ID, events)
	out, err := sse.Open(c)
	if err != nil {
		return err
	}
	defer out.Close()
	ctx, cancel := h.untilClosing(c.Request().Context())
	defer cancel()
	ctx, unseen := h.Runs.WhileSeen(ctx, w, run.ID)
	defer unseen()
	s := stream{h: h, c: c, out: out, run: run, view: seen}
	over := seen.Settled || seen.Last == 0 && run.Settled || s.waitsForPerson()
	follows := !over && !sse.Look(c)
	switch {
	case follows && after > 0: // earlier news is sent with the next
		n, _ := slices.BinarySearchFunc(events, after+1, func(e trace.Event, seq int) int { return e.Seq - seq })
		s.view = h.Runs.Fold(run.Kind, run.ID, events[:n])
	case after < seen.Last || after == 0:
		if err := s.together(s.drawAll); err != nil {
			return nil // the client is gone and will resume from its last id
		}
	}
	if !over && (!follows || s.follow(ctx) != nil) {
		return nil // as above
	}
	_ = s.together(s.end)
	return nil
}

// follow sends new events until the run is settled or waits for a person.
func (s *stream) follow(ctx context.Context) error {
	for item, err := range s.h.Runs.Hub.Watch(ctx, s.run.Workspace, s.run.ID, s.view.Last) {
		if err != nil {
			return err
		}
		if err := s.together(func() error { return s.draw(item) }); err != nil {
			return err
		}
		if s.waitsForPerson() {
			return nil
		}
	}
	return ctx.Err()
}

// waitsForPerson reports whether nothing follows until a person answers.
func (s *stream) waitsForPerson() bool {
	part, ok := s.h.Parts[s.run.Kind]
	if !ok || !s.view.Asks {
		return false
	}
	_, live, err := part.DrawRun(s.c.Request().Context(), s.run, s.view)
	return err == nil && !live
}

// untilClosing returns a context that ends with ctx or when the server stops.
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

// stream is the event stream of one open page.
type stream struct {
	h    *Handler
	c    echo.Context
	out  *sse.Stream
	run  job.Run
	view *trace.View

	drawn []byte            // events not sent yet
	part  bytes.Buffer      // the last that was drawn
	cited []domain.Citation // in the text so far

	writes int       // code points written by the current call
	told   time.Time // when its row was last sent
}

// together sends the events that draw adds in one write instead of one each.
func (s *stream) together(draw func() error) error {
	s.drawn = s.drawn[:0]
	if err := draw(); err != nil {
		return err
	}
	if len(s.drawn) == 0 {
		return nil
	}
	return s.out.Write(s.drawn)
}

// add adds an event to those that are sent together.
func (s *stream) add(id, event string, data []byte) {
	s.drawn = sse.Append(s.drawn, id, event, data)
}

// drawAll adds the whole run, for a page that is behind.
func (s *stream) drawAll() error {
	for _, row := range s.h.Runs.Draw(s.c.Request().Context(), s.run.Workspace, s.view, s.run.Kind).Steps {
		if err := s.html("step", partial.Step(row)); err != nil {
			return err
		}
	}
	if err := s.figures(s.view.Figures); err != nil {
		return err
	}
	return s.graph()
}

// draw adds what is new. A step that several events changed is drawn once.
func (s *stream) draw(item trace.Item) error {
	var changed []*trace.Step
	var settled []domain.Figure
	complete := false
	for _, e := range item.Events {
		settled = append(settled, s.figure(e)...)
		complete = complete || e.Custom == domain.EventWritten
		for _, step := range s.view.Apply(e) {
			changed = lists.AppendOnce(changed, step)
		}
	}
	if err := s.rows(changed); err != nil {
		return err
	}
	if len(item.Events) > 0 {
		if err := s.graph(); err != nil {
			return err
		}
	}
	if err := s.figures(settled); err != nil {
		return err
	}
	if err := s.sources(item); err != nil {
		return err
	}
	if err := s.soFar(item); err != nil {
		return err
	}
	if err := s.text(item); err != nil || !complete {
		return err
	}
	s.add("", "written", []byte("{}"))
	return nil
}

// tells is how often the row of a call in progress is sent.
const tells = time.Second

// soFar adds what a call has taken so far while its text is written.
func (s *stream) soFar(item trace.Item) error {
	for _, e := range item.Events {
		if e.Custom == domain.EventAsked {
			s.writes = 0
		}
	}
	if item.Text == "" {
		return nil
	}
	s.writes += domain.Runes(item.Text)
	now := s.h.Runs.Now()
	step := s.view.Wrote(llm.Estimate(s.writes))
	if step == nil || now.Sub(s.told) < tells {
		return nil
	}
	s.told = now
	if err := s.rows([]*trace.Step{step}); err != nil {
		return err
	}
	return s.html("totals", partial.Totals(s.h.Runs.Draw(s.c.Request().Context(), s.run.Workspace, s.view, s.run.Kind)))
}

// rows adds the rows that the changes of steps change, each once.
func (s *stream) rows(changed []*trace.Step) error {
	sent := map[int]bool{}
	for _, step := range changed {
		for _, row := range s.h.Runs.Rows(s.c.Request().Context(), s.run.Workspace, s.view, s.run.Kind, step) {
			if sent[row.N] {
				continue
			}
			sent[row.N] = true
			if err := s.html("step", partial.Step(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// figure returns the chart in an event, if it holds one.
func (s *stream) figure(e trace.Event) []domain.Figure {
	var f domain.Figure
	if e.Custom != domain.EventFigure || json.Unmarshal(e.Payload, &f) != nil {
		return nil
	}
	return []domain.Figure{f}
}

// figures adds the given charts of an answer.
func (s *stream) figures(list []domain.Figure) error {
	charts, ok := s.h.Parts[s.run.Kind].(Charts)
	if !ok {
		return nil
	}
	for _, f := range list {
		drawn, err := charts.DrawFigure(s.c.Request().Context(), s.run, f)
		if err != nil {
			return err
		}
		if err := s.html("figure", drawn); err != nil {
			return err
		}
	}
	return nil
}

// graph adds the graph and the totals. The event carries the number from which
// a page resumes.
func (s *stream) graph() error {
	drawn := s.h.Runs.Draw(s.c.Request().Context(), s.run.Workspace, s.view, s.run.Kind)
	if err := s.html("totals", partial.Totals(drawn)); err != nil {
		return err
	}
	return s.numbered(strconv.Itoa(s.view.Last), "graph", partial.GraphEvent(drawn))
}

// sources adds the list of the sources so far, if it changed.
func (s *stream) sources(item trace.Item) error {
	before := len(s.cited)
	if item.Reset {
		s.cited = nil
	}
	s.cited = append(s.cited, item.Cited...)
	if len(item.Cited) == 0 && len(s.cited) == before {
		return nil
	}
	return s.html("sources", partial.SourcesSoFar(s.run.ID, s.cited))
}

// text adds the answer's text: to append, or to replace what is shown.
func (s *stream) text(item trace.Item) error {
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
	s.add("", event, text)
	return nil
}

// end adds the finished part and makes the page stop watching. The queue knows the end of a run whose last event was
// deleted with a document.
func (s *stream) end() error {
	if !s.view.Settled {
		r, err := s.h.Runs.Queue.Get(s.c.Request().Context(), s.run.Workspace, s.run.ID)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		if r.Status.Ended() {
			s.view.State = report.EndState(r.Status)
			if err := s.graph(); err != nil {
				return err
			}
		}
	}
	if part, ok := s.h.Parts[s.run.Kind]; ok {
		drawn, _, err := part.DrawRun(s.c.Request().Context(), s.run, s.view)
		if err == nil {
			err = s.html("answer", drawn)
		}
		if err != nil && domain.KindOf(err) != domain.NotFound { // the subject may be gone
			return err
		}
	}
	s.add(strconv.Itoa(s.view.Last), "end", []byte("{}"))
	return nil
}

func (s *stream) html(event string, component templ.Component) error {
	return s.numbered("", event, component)
}

// numbered adds an event with a part of the page and the number from which a page resumes, "" for none.
func (s *stream) numbered(id, event string, component templ.Component) error {
	s.part.Reset()
	if err := component.Render(s.c.Request().Context(), &s.part); err != nil {
		return err
	}
	s.add(id, event, s.part.Bytes())
	return nil
}
