// Package sse writes server-sent events. A stream only watches the work, which goes on without it; the
// browser resumes a stream from the id of the last event it saw.
package sse

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

// heartbeat is the interval between comments on an idle stream.
const heartbeat = 15 * time.Second

// writeTimeout ends a stream whose reader takes nothing for so long.
const writeTimeout = 10 * time.Second

// A Stream is one open response. Its methods are safe for concurrent use.
type Stream struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	mu   sync.Mutex
	stop chan struct{}
	done sync.WaitGroup
}

// Open starts a stream: it sends the headers, writes
// a comment so that proxies forward the response at once, and starts the
// heartbeat. The caller must call Close.
func Open(c echo.Context) (*Stream, error) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	// The controller uses the inner writer, because echo.Response hides why a flush failed.
	s := &Stream{w: c.Response(), ctl: http.NewResponseController(c.Response().Writer), stop: make(chan struct{})}
	c.Response().WriteHeader(http.StatusOK)
	if err := s.Write([]byte(": open\n\n")); err != nil {
		return nil, err
	}
	s.done.Add(1)
	go s.beat()
	return s, nil
}

// Send writes one event. An event with an empty id can't be resumed from. data
// may hold several lines.
func (s *Stream) Send(id, event string, data []byte) error {
	return s.Write(Append(nil, id, event, data))
}

// Append appends an event as it is written, see Stream.Send.
func Append(to []byte, id, event string, data []byte) []byte {
	if id != "" {
		to = append(append(append(to, "id: "...), id...), '\n')
	}
	to = append(append(append(to, "event: "...), event...), '\n')
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		to = append(append(append(to, "data: "...), bytes.TrimRight(line, "\r")...), '\n')
	}
	return append(to, '\n')
}

// Close stops the heartbeat. The response ends when the handler returns.
func (s *Stream) Close() {
	close(s.stop)
	s.done.Wait()
	_ = s.ctl.SetWriteDeadline(time.Time{}) // for the next request; fails if the connection is closed
}

func (s *Stream) beat() {
	defer s.done.Done()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			if s.Write([]byte(": alive\n\n")) != nil {
				return
			}
		}
	}
}

// Write writes one or several events.
func (s *Stream) Write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ctl.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("write to an event stream: %w", err)
	}
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("write to an event stream: %w", err)
	}
	if err := s.ctl.Flush(); err != nil {
		return fmt.Errorf("flush an event stream: %w", err)
	}
	return nil
}

// LastID returns the number of the last event the browser saw: from the header
// Last-Event-ID, else from the query parameter after, else 0.
func LastID(c echo.Context) int {
	for _, text := range []string{c.Request().Header.Get("Last-Event-ID"), c.QueryParam("after")} {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// The maximum number of open streams. A page whose stream is refused polls instead; see Look.
const (
	maxOfSession = 8
	maxStreams   = 500
)

// lookAgain is the interval at which a page polls.
const lookAgain = 5 * time.Second

// Look reports whether a page that was refused a stream asks for the news so
// far. The handler then ends the stream as soon as it has sent them.
func Look(c echo.Context) bool { return c.QueryParam("look") != "" }

// A Gate counts the open streams. The zero value is ready.
type Gate struct {
	mu       sync.Mutex
	sessions map[string]int
	streams  int
}

// Limit refuses a stream with kind TooMany when its session has as many as one
// may have, and with kind Unavailable when there are as many as the program
// serves. session names the session of a request, "" outside any.
func (g *Gate) Limit(session func(echo.Context) string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if Look(c) {
				return next(c)
			}
			of := session(c)
			if err := g.enter(of); err != nil {
				return err
			}
			defer g.leave(of)
			return next(c)
		}
	}
}

func (g *Gate) enter(session string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case session != "" && g.sessions[session] >= maxOfSession:
		return domain.TooManyf(lookAgain, "You have %d pages open that update live, which is the limit. This one checks for changes every few seconds instead.", maxOfSession)
	case g.streams >= maxStreams:
		return domain.TooManyf(lookAgain, "This server has reached its limit of pages that update live. This one checks for changes every few seconds instead.")
	}
	if g.sessions == nil {
		g.sessions = map[string]int{}
	}
	g.sessions[session]++
	g.streams++
	return nil
}

func (g *Gate) leave(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streams--
	if g.sessions[session]--; g.sessions[session] == 0 {
		delete(g.sessions, session)
	}
}
