package sse

import (
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

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
