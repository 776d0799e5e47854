package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/questions"
)

// anEvent is an event of a stream.
type anEvent struct{ id, name, data string }

// events sends a request and reads the events of its answer.
func (s speaks) events(method, path, body string, header ...string) (list []anEvent) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("X-Accel-Buffering") != "no" {
		s.t.Fatalf("%s: %s, %v", path, answer.Status, answer.Header)
	}
	var e anEvent
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data += value
		case "":
			if e.name != "" {
				list = append(list, e)
			}
			e = anEvent{}
		}
	}
	return list
}

func TestProgramsFollowAnAnswer(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	list := s.events(http.MethodPost, "/ask/stream", `{"question":"Who founded the Carrow Foundry?"}`)
	var words strings.Builder
	var reply questions.Reply
	var steps []anEvent
	for _, e := range list {
		switch e.name {
		case "token":
			words.WriteString(decoded[struct{ Text string }](t, e.data).Text)
		case "step":
			steps = append(steps, e)
		case "answer":
			if err := json.Unmarshal([]byte(e.data), &reply); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(steps) < 3 || !strings.Contains(words.String(), "Maud Ferring") || reply.Status != "done" || !strings.Contains(reply.Answer, "Maud Ferring") || list[len(list)-1].name != "answer" {
		t.Fatalf("the events are %v", list)
	}
	whole := s.events(http.MethodGet, "/runs/"+reply.Run+"/events", "")
	rest := s.events(http.MethodGet, "/runs/"+reply.Run+"/events", "", "Last-Event-ID", steps[len(steps)-1].id)
	count := func(list []anEvent) (n int) {
		for _, e := range list {
			if e.name == "step" {
				n++
			}
		}
		return n
	}
	if count(whole) != len(steps) || count(rest) >= len(steps) || rest[len(rest)-1].name != "answer" {
		t.Errorf("a run has %d steps, read again %d, after one of them %d", len(steps), count(whole), count(rest))
	}
	if status, text := s.post("/api/v1/runs/nothing/events", ""); status != 404 || !strings.Contains(text, "There is no run") {
		t.Errorf("a run that there is not: %d, %s", status, text)
	}
	if status, text := s.post("/api/v1/ask/stream", `{"question":" "}`); status != 422 {
		t.Errorf("an empty question: %d, %s", status, text)
	}
}

// TestAStreamGoesOnAfterEachEvent cuts a stream off after each of its events: what follows has the rest, and nothing twice.
func TestAStreamGoesOnAfterEachEvent(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	told := func(list []anEvent) (texts []string) {
		for _, e := range list {
			if e.name != "token" && e.name != "reset" { // words begin anew
				texts = append(texts, e.name+" "+e.data)
			}
		}
		return texts
	}
	for name, tt := range map[string]struct {
		how    string
		within int // events that share a batch with an earlier one
	}{"to its end": {"", 3}, "to a question for a person": {`,"stop_before_writing":true`, 0}} {
		list := s.events(http.MethodPost, "/ask/stream", `{"question":"Who founded the Carrow Foundry?"`+tt.how+`}`)
		path := "/runs/" + decoded[questions.Reply](t, list[len(list)-1].data).Run + "/events"
		whole := s.events(http.MethodGet, path, "")
		within := 0
		for i, e := range whole[:len(whole)-1] {
			rest := s.events(http.MethodGet, path, "", "Last-Event-ID", e.id)
			if diff := cmp.Diff(told(whole), slices.Concat(told(whole[:i+1]), told(rest))); diff != "" {
				t.Errorf("%s, cut after %s %s: -whole +both parts\n%s", name, e.name, e.id, diff)
			}
			if strings.Contains(e.id, ".") {
				within++
			}
		}
		if within < tt.within || len(whole) < 2 {
			t.Errorf("%s: %d events share a batch with an earlier one: %v", name, within, whole)
		}
	}
}

func TestReadingADocumentIsStreamed(t *testing.T) {
	t.Parallel()
	s, sh := speak(t)
	s.secret, _, _ = strings.Cut(sh.must(t, "token", "create", "all", "--preset", "everything"), "\n")
	status, added := s.post("/api/v1/documents", `{"name":"bridge.md","text":"Henrike Aldous designed the Velm Bridge."}`)
	if status != 202 {
		t.Fatalf("status %d: %s", status, added)
	}
	id := value(t, added, "documents", 0, "id")
	whole := s.events(http.MethodGet, "/documents/"+id+"/events", "")
	last := whole[len(whole)-1]
	var doc struct {
		ID, Status string
		Entities   int
	}
	if err := json.Unmarshal([]byte(last.data), &doc); err != nil || last.name != "document" || doc.ID != id || doc.Status != "ready" || doc.Entities == 0 || len(whole) < 4 {
		t.Errorf("%v: the events are %v", err, whole)
	}
	if rest := s.events(http.MethodGet, "/documents/"+id+"/events", "", "Last-Event-ID", whole[1].id); len(rest) >= len(whole) || rest[len(rest)-1].name != "document" {
		t.Errorf("after one event: %v", rest)
	}
	for path, want := range map[string]int{"/documents/nothing/events": 404, "/documents/" + id + "/events": 400} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1"+path, nil)
		noError(t, err)
		r.Header.Set("Authorization", "Bearer "+s.secret)
		r.Header.Set("Last-Event-ID", "x")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, answer.StatusCode, want)
		}
	}
}
