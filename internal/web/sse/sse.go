// Package sse writes server-sent events. A stream only watches the work, which
// goes on without it; the browser resumes a stream from the id of the last
// event it saw.
package sse

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// heartbeat is the interval between comments on an idle stream.
const heartbeat = 20 * time.Second

// A Stream is one open response. Its methods are safe for concurrent use.
type Stream struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	mu   sync.Mutex
	stop chan struct{}
	done sync.WaitGroup
}

// Open starts a stream: it sends the headers, lifts the write deadline, writes
// a comment so that proxies forward the response at once, and starts the
// heartbeat. The caller must call Close.
func Open(c echo.Context) (*Stream, error) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s := &Stream{w: c.Response(), ctl: http.NewResponseController(c.Response()), stop: make(chan struct{})}
	if err := s.ctl.SetWriteDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("open an event stream: %w", err)
	}
	c.Response().WriteHeader(http.StatusOK)
	if err := s.write([]byte(": open\n\n")); err != nil {
		return nil, err
	}
	s.done.Add(1)
	go s.beat()
	return s, nil
}

// Send writes one event. An event with an empty id can't be resumed from. data
// may hold several lines.
func (s *Stream) Send(id, event string, data []byte) error {
	var b bytes.Buffer
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteString("event: " + event + "\n")
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return s.write(b.Bytes())
}

// Close stops the heartbeat. The response ends when the handler returns.
func (s *Stream) Close() {
	close(s.stop)
	s.done.Wait()
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
			if s.write([]byte(": alive\n\n")) != nil {
				return
			}
		}
	}
}

func (s *Stream) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
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
