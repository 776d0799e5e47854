package trace

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// lines is a sqlio.Wire that delivers to other hubs in order, and can lose messages.
type lines struct {
	sqlio.Unwired
	mu    sync.Mutex
	lose  int // words of the next messages
	words int // messages with words
	out   chan [2]string
}

func (l *lines) Listening() bool { return true }

func (l *lines) Tell(topic, text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if topic == topicWords {
		l.words++
		if l.lose > 0 {
			l.lose--
			return true
		}
	}
	l.out <- [2]string{topic, text}
	return true
}

// connected returns two hubs of one log, and what each sends.
func connected(t *testing.T, store Store) (hubs [2]*Hub, sent [2]*lines) {
	t.Helper()
	for i := range hubs {
		sent[i] = &lines{out: make(chan [2]string, 10_000)}
		hubs[i] = NewHub(store, time.Now, slog.New(slog.DiscardHandler), Options{Poll: time.Hour, Batch: time.Millisecond, Wire: sent[i]})
	}
	for i := range hubs {
		go func() {
			for {
				select {
				case m := <-sent[i].out:
					hubs[1-i].Hear(m[0], m[1])
				case <-t.Context().Done():
					return
				}
			}
		}()
	}
	return hubs, sent
}

// read gathers what a watcher gets until its text is want or the run is over.
func read(ctx context.Context, t *testing.T, h *Hub, want string) (text string, cited int, events []Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for item, err := range h.Watch(ctx, looping, "r", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Reset {
			text, cited = "", 0
		}
		text += item.Text
		cited += len(item.Cited)
		events = append(events, item.Events...)
		if want != "" && text == want {
			return text, cited, events
		}
	}
	return text, cited, events
}

func TestWordsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	store := &memory{}
	hubs, sent := connected(t, store)
	r := record(t, hubs[0], "r")
	say := func(text string, cited ...domain.Citation) {
		r.Observe(stategraph.Event{Kind: stategraph.Custom, Payload: domain.Token{Text: text, Cited: cited}})
	}
	say("Nobody watches. ")
	if sent[0].words != 0 {
		t.Errorf("%d messages were sent to nobody", sent[0].words)
	}
	read(t.Context(), t, hubs[1], "Nobody watches. ") // what was said before
	first := strings.Repeat("wörds <&> ", 300)
	sent[0].mu.Lock()
	sent[0].lose = 2
	sent[0].mu.Unlock()
	say(first, domain.Citation{N: 1, Document: "a.md"})
	say("The end.", domain.Citation{N: 2, Document: "b.md"})
	want := "Nobody watches. " + first + "The end."
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if text, cited, _ := read(t.Context(), t, hubs[1], want); text != want || cited != 2 {
				t.Errorf("a watcher has %d bytes and %d sources, want %d and 2", len(text), cited, len(want))
			}
		})
	}
	both.Wait()
	r.Observe(stategraph.Event{Kind: stategraph.Custom, Payload: domain.Token{Text: "Anew.", Anew: true}})
	read(t.Context(), t, hubs[1], "Anew.")
	go func() {
		time.Sleep(50 * time.Millisecond)
		r.Settle("done", "")
	}()
	if _, _, events := read(t.Context(), t, hubs[1], ""); len(events) != 1 || events[0].Kind != Settled {
		t.Errorf("the events are %+v", events)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestWordsOfAnotherAttempt has a second process write anew what the first one had begun.
func TestWordsOfAnotherAttempt(t *testing.T) {
	t.Parallel()
	hubs, _ := connected(t, &memory{})
	for _, text := range []string{"The first says this.", "The second this."} {
		r := record(t, hubs[0], "r")
		r.Observe(stategraph.Event{Kind: stategraph.RunStart})
		go func() {
			time.Sleep(20 * time.Millisecond)
			r.Observe(stategraph.Event{Kind: stategraph.Custom, Payload: domain.Token{Text: text}})
		}()
		if got, _, _ := read(t.Context(), t, hubs[1], text); got != text {
			t.Errorf("a watcher reads %q, want %q", got, text)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
