package trace

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Store keeps the events of runs: the ledger, or memory in tests.
type Store interface {
	AppendEvents(ctx context.Context, w domain.WorkspaceID, run domain.RunID, events []ledger.EventRow, also ...func(context.Context, *sql.Tx) error) error
	Events(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) ([]ledger.EventRow, error)
	EventsOf(ctx context.Context, w domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]ledger.EventRow, error)
	LastEvents(ctx context.Context, w domain.WorkspaceID, run domain.RunID, n int) ([]ledger.EventRow, error)
	// RunOver reports whether no further event of a run will follow: its end was recorded, or it is gone.
	RunOver(ctx context.Context, w domain.WorkspaceID, run domain.RunID) (bool, error)
	// Withheld reports which runs used documents that the reader in ctx is not allowed to see.
	Withheld(ctx context.Context, w domain.WorkspaceID, runs ...domain.RunID) (map[domain.RunID]bool, error)
}

// A Hub records runs and streams them to watchers. NewHub returns one.
type Hub struct {
	store Store
	now   domain.Clock
	log   *slog.Logger
	poll  time.Duration
	batch time.Duration
	wire  sqlio.Wire

	mu        sync.Mutex
	live      map[domain.RunID]*live
	recorders map[domain.RunID]*Recorder
	wanted    map[domain.RunID]time.Time // how long others want to hear about runs
}

// Options configure a Hub. The zero value suits a server.
type Options struct {
	Poll  time.Duration // how often watchers look for other processes' events; 0 means 500 ms, or six times as long while a wire reports them
	Batch time.Duration // how long words are gathered before they are sent; events three times as long; 0 means 60 ms
	Wire  sqlio.Wire    // to the hubs of other processes; may be nil
}

// NewHub returns a Hub that records to store.
func NewHub(store Store, now func() time.Time, log *slog.Logger, o Options) *Hub {
	if o.Poll == 0 {
		o.Poll = 500 * time.Millisecond
	}
	if o.Batch == 0 {
		o.Batch = 60 * time.Millisecond
	}
	if o.Wire == nil {
		o.Wire = sqlio.Unwired{}
	}
	return &Hub{
		store: store, now: now, log: log, poll: o.Poll, batch: o.Batch, wire: o.Wire,
		live: map[domain.RunID]*live{}, recorders: map[domain.RunID]*Recorder{}, wanted: map[domain.RunID]time.Time{},
	}
}

// live is the part of a run that is not in the log: the text being written, and the signal for watchers. It exists while
// a recorder or watcher uses it.
type live struct {
	users  int
	text   string
	cited  []domain.Citation // in text, in the order of their numbers
	round  int               // number of restarts of the text
	stored int               // events that this process has stored
	over   bool              // the last of them settled the run
	kept   []Event           // the latest of them, without a gap
	gone   bool              // some of them were deleted from the log, so none is kept
	news   chan struct{}     // closed at the next change

	// For a run that another process records.
	writing writing   // the text
	heard   int       // messages saying that its log has grown
	lacks   bool      // part of the text is missing
	asked   time.Time // when that was requested

	shared shared
}

// shared is the part of a run's log that its watchers have read, once for all of them.
type shared struct {
	mu     sync.Mutex
	events []Event
	after  int       // the number before the first event
	stored int       // of live, before the last look at the log
	heard  int       // of heard, before the last look at the log
	looked time.Time // zero before the first look
	over   bool      // at the last look no further event was to follow
}

// last returns the number of the last event read, or 0. That event may have been deleted from the log with a document.
func (s *shared) last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.events); n > 0 {
		return s.events[n-1].Seq
	}
	return s.after
}

// join adds a user to a run; leave must follow.
func (h *Hub) join(run domain.RunID) *live {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.live[run]
	if l == nil {
		l = &live{news: make(chan struct{})}
		h.live[run] = l
	}
	l.users++
	return l
}

func (h *Hub) leave(run domain.RunID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.live[run]
	l.users--
	if l.users == 0 {
		delete(h.live, run)
	}
}

// Hold keeps the events of a run in memory until ctx is done.
func (h *Hub) Hold(ctx context.Context, run domain.RunID) {
	h.join(run)
	context.AfterFunc(ctx, func() { h.leave(run) })
}

// change applies f to a run's live part and wakes its watchers.
func (h *Hub) change(l *live, f func(*live)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(l)
	l.wake()
}

// wake wakes the watchers of a run. The caller holds the hub's lock.
func (l *live) wake() {
	close(l.news)
	l.news = make(chan struct{})
}

// restart clears the text for a new round.
func (l *live) restart() { l.text, l.cited, l.round = "", nil, l.round+1 }

// say adds a token to the text. One may bring sources that came with an earlier one.
func (l *live) say(token domain.Token) {
	l.text += token.Text
	for _, c := range token.Cited {
		if c.N > len(l.cited) {
			l.cited = append(l.cited, c)
		}
	}
}

// tell wakes a run's watchers after an event was stored.
func (h *Hub) tell(l *live, e Event) {
	e.At = sqlio.Time(sqlio.Millis(e.At)) // as it will be read back
	h.change(l, func(l *live) {
		l.stored++
		l.over = e.Kind == Settled
		if n := len(l.kept); l.gone || n > 0 && l.kept[n-1].Seq+1 != e.Seq {
			l.kept = nil
		}
		if !l.gone {
			l.kept = append(l.kept, e)
		}
	})
}

// tellEvent wakes the watchers of a run elsewhere after an event was stored.
func (h *Hub) tellEvent(run domain.RunID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isWanted(run) {
		h.tellOthers(topicEvent, run)
	}
}

// after returns the events that this process has stored after number n, and whether the log holds no others in between.
func (l *live) after(n int) ([]Event, bool) {
	if len(l.kept) == 0 || n+1 < l.kept[0].Seq || n > l.kept[len(l.kept)-1].Seq {
		return nil, false
	}
	return slices.Clip(l.kept[n+1-l.kept[0].Seq:]), true
}

// Forget makes watchers of a run reread its log, after events were deleted from it.
func (h *Hub) Forget(run domain.RunID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.live[run]; l != nil {
		l.kept, l.gone = nil, true
	}
}

// since returns the events of a run after the given number. All watchers together read the log once for each event stored
// here, and otherwise about once per poll for those of other processes. It reports whether none will follow: the event
// that settled the run may have been deleted with a document.
func (h *Hub) since(ctx context.Context, l *live, w domain.WorkspaceID, run domain.RunID, after int) ([]Event, bool, error) {
	s := &l.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looked.IsZero() {
		s.after = after
	}
	if after < s.after {
		return h.look(ctx, w, run, after, true)
	}
	last := s.after
	if n := len(s.events); n > 0 {
		last = s.events[n-1].Seq
	}
	h.mu.Lock()
	stored, heard := l.stored, l.heard
	fresh, whole := l.after(last)
	h.mu.Unlock()
	if silent := stored == s.stored; !silent || heard != s.heard || time.Since(s.looked) >= h.interval()/2 {
		over := false
		if silent || !whole {
			var err error
			if fresh, over, err = h.look(ctx, w, run, last, silent); err != nil {
				return nil, false, err
			}
		}
		s.events, s.over, s.stored, s.heard, s.looked = append(s.events, fresh...), over, stored, heard, time.Now()
	}
	from, _ := slices.BinarySearchFunc(s.events, after+1, func(e Event, seq int) int { return e.Seq - seq })
	return slices.Clip(s.events[from:]), s.over, nil
}

// interval is how often watchers poll the log for events that they were not notified of.
func (h *Hub) interval() time.Duration { return sqlio.Interval(h.wire, h.poll) }

// look reads the events after the given number and, if this process has stored none, whether any will follow.
func (h *Hub) look(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int, silent bool) (events []Event, over bool, err error) {
	if silent {
		if over, err = h.store.RunOver(ctx, w, run); err != nil {
			return nil, false, err
		}
	}
	events, err = h.all(ctx, w, run, after)
	return events, over, err
}

// A written is the text of a run so far.
type written struct {
	text  string
	cited []domain.Citation
	round int
}

// peek returns the text so far, and a channel that is closed at the next change.
func (h *Hub) peek(l *live) (written, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return written{l.text, slices.Clip(l.cited), l.round}, l.news
}

// Events returns the stored events of a run after the given number. Of one that has read what the viewer of ctx may not read it is only
// that it has ended, and how.
func (h *Hub) Events(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) ([]Event, error) {
	rows, err := h.store.Events(ctx, w, run, after)
	if err != nil {
		return nil, fmt.Errorf("read the events of run %s: %w", run, err)
	}
	return decode(run, rows)
}

// all is Events whoever asks.
func (h *Hub) all(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) ([]Event, error) {
	return h.Events(domain.WithReader(ctx, ""), w, run, after)
}

// ending returns the event that ended a withheld run, or none.
func ending(events []Event) []Event {
	last := events[len(events)-1]
	if last.Kind != Settled {
		return nil
	}
	return []Event{{Seq: last.Seq, At: last.At, Kind: Settled, Label: last.Label, Withheld: true}}
}

// Last returns the last n stored events of a run.
func (h *Hub) Last(ctx context.Context, w domain.WorkspaceID, run domain.RunID, n int) ([]Event, error) {
	rows, err := h.store.LastEvents(ctx, w, run, n)
	if err != nil {
		return nil, fmt.Errorf("read the last events of run %s: %w", run, err)
	}
	return decode(run, rows)
}

// EventsOf returns the stored events of several runs.
func (h *Hub) EventsOf(ctx context.Context, w domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]Event, error) {
	stored, err := h.store.EventsOf(ctx, w, runs)
	if err != nil {
		return nil, fmt.Errorf("read the events of %d runs: %w", len(runs), err)
	}
	events := make(map[domain.RunID][]Event, len(stored))
	for run, rows := range stored {
		if events[run], err = decode(run, rows); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func decode(run domain.RunID, rows []ledger.EventRow) ([]Event, error) {
	events := make([]Event, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row.JSON, &events[i]); err != nil {
			return nil, fmt.Errorf("event %d of run %s: %w", row.Seq, run, err)
		}
		events[i].Seq, events[i].At = row.Seq, row.At
	}
	if len(rows) > 0 && rows[0].Withheld {
		events = ending(events)
	}
	return events, nil
}

// An Item is one delivery to a watcher: events, words, or both.
type Item struct {
	Events []Event
	Text   string            // words to append
	Cited  []domain.Citation // sources added with them
	Reset  bool              // the text restarts: drop what was shown before
}

// Watch streams a run after the given event number: first the stored events, then new ones, until the run is settled or
// gone, ctx ends or the caller stops. What has happened since an event that the caller has seen is gathered like what is new.
func (h *Hub) Watch(ctx context.Context, w domain.WorkspaceID, run domain.RunID, after int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		l := h.join(run)
		defer h.leave(run)
		watcher := watcher{hub: h, live: l, workspace: w, run: run, after: after}
		if after > 0 && !watcher.gather(ctx) {
			return
		}
		for {
			done, err := watcher.round(ctx, yield)
			if err != nil && ctx.Err() == nil {
				yield(Item{}, err)
			}
			if done || err != nil || !watcher.wait(ctx) {
				return
			}
		}
	}
}

// watcher is the position of one Watch in a run.
type watcher struct {
	hub       *Hub
	live      *live
	workspace domain.WorkspaceID
	run       domain.RunID
	after     int // last event seen
	sent      int // bytes of text seen
	cited     int // sources seen
	textRound int // of which text
	news      <-chan struct{}

	withheld bool      // the run has read documents that may not be read
	asked    time.Time // when that was last checked
}

// recheck is how often a watcher looks whether it may read what the run has read, when the run reads nothing else.
const recheck = time.Second

// may looks whether the watcher may read what the run has read, after events or a while. What is withheld stays so.
func (w *watcher) may(ctx context.Context, events []Event) error {
	if _, limited := domain.ViewerOf(ctx); !limited || w.withheld || len(events) == 0 && w.hub.now().Sub(w.asked) < recheck {
		return nil
	}
	withheld, err := w.hub.store.Withheld(ctx, w.workspace, w.run)
	if err != nil {
		return fmt.Errorf("look whether run %s is withheld: %w", w.run, err)
	}
	w.withheld, w.asked = withheld[w.run], w.hub.now()
	return nil
}

// round yields everything new and reports whether the run is over or the caller has stopped.
func (w *watcher) round(ctx context.Context, yield func(Item, error) bool) (bool, error) {
	var now written
	now, w.news = w.hub.peek(w.live)
	events, over, err := w.hub.since(ctx, w.live, w.workspace, w.run, w.after)
	if err == nil {
		err = w.may(ctx, events)
	}
	if err != nil {
		return true, err
	}
	item := Item{Events: events}
	if now.round != w.textRound {
		w.textRound, w.sent, w.cited, item.Reset = now.round, 0, 0, true
	}
	item.Text, item.Cited = now.text[w.sent:], now.cited[w.cited:]
	w.sent, w.cited = len(now.text), len(now.cited)
	if len(events) > 0 {
		w.after = events[len(events)-1].Seq
	}
	if w.withheld {
		item = Item{}
		if len(events) > 0 {
			item.Events = ending(events)
		}
	}
	if (len(item.Events) > 0 || item.Text != "" || item.Reset) && !yield(item, nil) {
		return true, nil
	}
	if len(events) == 0 {
		return over, nil
	}
	return events[len(events)-1].Kind == Settled, nil
}

// wait blocks until a batch of changes has arrived or it is time to poll for events of other processes. Without words it waits
// three times as long, as events draw the page's picture anew. The first words and the end of a run are not delayed. It reports
// whether ctx is still alive.
func (w *watcher) wait(ctx context.Context) bool {
	w.hub.mu.Lock()
	w.hub.ask(w.run, w.live, askEvery)
	w.hub.mu.Unlock()
	poll := time.NewTimer(w.hub.interval())
	defer poll.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-poll.C:
		return true
	case <-w.news:
	}
	return w.gather(ctx)
}

// gather blocks until a batch of changes has arrived, and reports whether ctx is still alive.
func (w *watcher) gather(ctx context.Context) bool {
	gather := time.NewTimer(w.hub.batch)
	defer gather.Stop()
	for late := false; ; {
		more, words, urgent := w.state()
		if urgent || late && words {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-gather.C:
			if late || words {
				return true
			}
			late = true
			gather.Reset(2 * w.hub.batch)
		case <-more:
		}
	}
}

// state reports whether words have come, and whether these are the first of a text or the run is over. It returns a channel
// that closes at the next change.
func (w *watcher) state() (more <-chan struct{}, words, urgent bool) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	l := w.live
	first := l.text != "" && (w.sent == 0 || l.round != w.textRound)
	return l.news, len(l.text) != w.sent || l.round != w.textRound, first || l.over
}
