package sse

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
)

func TestEventsArriveOneByOne(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	e := echo.New()
	e.GET("/events", func(c echo.Context) error {
		s, err := Open(c)
		if err != nil {
			return err
		}
		defer s.Close()
		for range next {
			if err := s.Send("7", "row", []byte("<p>one\r\ntwo</p>")); err != nil {
				return err
			}
		}
		return s.Send("", "end", nil)
	})
	server := httptest.NewServer(e)
	defer server.Close()
	response, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type = %q", got)
	}
	lines := bufio.NewScanner(response.Body)
	read := func() string {
		var block []string
		for lines.Scan() && lines.Text() != "" {
			block = append(block, lines.Text())
		}
		return strings.Join(block, "\n")
	}
	if got := read(); got != ": open" {
		t.Errorf("first block %q, want the opening comment", got)
	}
	next <- struct{}{}
	if diff := cmp.Diff("id: 7\nevent: row\ndata: <p>one\ndata: two</p>", read()); diff != "" {
		t.Errorf("event (-want +got)\n%s", diff)
	}
	close(next)
	if diff := cmp.Diff("event: end\ndata: ", read()); diff != "" {
		t.Errorf("last event (-want +got)\n%s", diff)
	}
}

func TestLastID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header, query string
		want          int
	}{{"", "", 0}, {"12", "", 12}, {"", "5", 5}, {"12", "5", 12}, {"x", "5", 5}, {"-3", "", 0}} {
		r := httptest.NewRequest(http.MethodGet, "/?after="+tt.query, nil)
		r.Header.Set("Last-Event-ID", tt.header)
		if got := LastID(echo.New().NewContext(r, httptest.NewRecorder())); got != tt.want {
			t.Errorf("LastID(%q, %q) = %d, want %d", tt.header, tt.query, got, tt.want)
		}
	}
}
