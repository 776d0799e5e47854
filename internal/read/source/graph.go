package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The bounds of a look.
const (
	atOnce    = 4      // items fetched at the same time
	mostItems = 20_000 // of a source that are followed; its rules may lower it
	usualMost = 5_000
	mostNotes = 20
	chunkOf   = 200 // known items looked up at once
)

// State is the state of a look.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Source    string             `json:"source"`
	Look      domain.RunID       `json:"look"`

	Listed   int    `json:"listed"`   // parts of the list that were read
	At       string `json:"at"`       // where the list continues
	Part     []Item `json:"part"`     // the last part
	Led      []Item `json:"led"`      // found through other items
	Followed int    `json:"followed"` // how many of Led, so far
	Todo     []Task `json:"todo"`     // to be opened, in order
	Sent     int    `json:"sent"`     // how many of Todo, so far
	Full     int    `json:"full"`     // items without room, because the queue of documents to read is full; left to the next look

	Seen    int      `json:"seen"`
	Fresh   int      `json:"new"`
	Changed int      `json:"changed"`
	Gone    int      `json:"gone"`
	Failed  int      `json:"failed"`
	Later   int      `json:"later,omitempty"` // part of Failed that a later try may read
	LeftOut int      `json:"left_out"`
	Notes   []string `json:"notes"`
}

var (
	schema   = state.NewSchema[State](1)
	listed   = state.Sum(schema, "listed", func(s *State) *int { return &s.Listed })
	at       = state.Replace(schema, "at", func(s *State) *string { return &s.At })
	part     = state.Replace(schema, "part", func(s *State) *[]Item { return &s.Part })
	led      = state.Upsert(schema, "led", func(s *State) *[]Item { return &s.Led }, func(i Item) string { return i.Name })
	followed = state.Replace(schema, "followed", func(s *State) *int { return &s.Followed })
	todo     = state.Append(schema, "todo", func(s *State) *[]Task { return &s.Todo })
	sent     = state.Sum(schema, "sent", func(s *State) *int { return &s.Sent })
	full     = state.Sum(schema, "full", func(s *State) *int { return &s.Full })
	seen     = state.Sum(schema, "seen", func(s *State) *int { return &s.Seen })
	fresh    = state.Sum(schema, "new", func(s *State) *int { return &s.Fresh })
	changed  = state.Sum(schema, "changed", func(s *State) *int { return &s.Changed })
	gone     = state.Replace(schema, "gone", func(s *State) *int { return &s.Gone })
	failed   = state.Sum(schema, "failed", func(s *State) *int { return &s.Failed })
	later    = state.Sum(schema, "later", func(s *State) *int { return &s.Later })
	leftOut  = state.Sum(schema, "left_out", func(s *State) *int { return &s.LeftOut })
	notes    = state.Append(schema, "notes", func(s *State) *[]string { return &s.Notes })
)

type update = state.Update[State]

// The labels of the edges after a comparison.
const (
	moreToList = "more to list"
	eachItem   = "each item"
	allSeen    = "all seen"
)

func graph(s *Service) (stategraph.Runnable[State], error) {
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("look", schema)
	b.Node("list", s.list, reads(at), writes(at, part, listed, leftOut))
	b.Node("compare", s.compare, reads(at, part, led, followed, todo, sent, full), writes(part, followed, todo, seen, leftOut))
	fetch := stategraph.Task(b, "fetch", s.fetch, writes(sent, led, full, seen, fresh, changed, failed, later, notes))
	b.Node("report", s.report, reads(todo, sent, full, seen, fresh, changed, failed, later, leftOut, notes), writes(gone))
	b.Edge(stategraph.Start, "list")
	b.Edge("list", "compare")
	b.Branch("compare", "items", func(_ *stategraph.Context, st State) (stategraph.Route[State], error) {
		switch next := st.Todo[st.Sent:]; {
		case len(next) > 0 && st.Full == 0:
			var sends []stategraph.Send[State]
			for _, t := range next[:min(len(next), atOnce)] {
				sends = append(sends, fetch.Send(sending{st.Workspace, st.Source, st.Look, t}))
			}
			return stategraph.Fan(sends...), nil
		case st.At != "" && st.Full == 0:
			return stategraph.Choose[State](moreToList), nil
		}
		return stategraph.Choose[State](allSeen), nil
	}, stategraph.Case{Label: moreToList, Target: "list"}, stategraph.Case{Label: eachItem, Target: "fetch"}, stategraph.Case{Label: allSeen, Target: "report"})
	b.Edge("fetch", "compare")
	b.Edge("report", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(s.Threads), stategraph.WithCodec(s.Codec))
}

// list lists a part of the source.
func (s *Service) list(ctx *stategraph.Context, st State) (update, error) {
	_, kind, place, err := s.opened(ctx, st.Workspace, st.Source)
	if err != nil {
		return update{}, err
	}
	l, err := kind.List(ctx, place, st.At)
	if err != nil {
		return update{}, err
	}
	return state.Merge(part.Set(l.Items), at.Set(l.Next), listed.Add(1), leftOut.Add(l.LeftOut)), nil
}

// compare decides which items of the last part, and of those that items lead to, are opened.
func (s *Service) compare(ctx *stategraph.Context, st State) (update, error) {
	src, kind, _, err := s.opened(ctx, st.Workspace, st.Source)
	if err != nil {
		return update{}, err
	}
	items := slices.Concat(st.Part, st.Led[st.Followed:])
	known, err := s.Ledger.SourceItems(ctx, st.Workspace, st.Source, named(items))
	if err != nil {
		return update{}, err
	}
	open, same := Compare(known, items)
	if err := s.Ledger.SeeItems(ctx, st.Workspace, st.Source, st.Look, named(items)); err != nil {
		return update{}, err
	}
	u := state.Merge(part.Set(nil), followed.Set(len(st.Led)), seen.Add(len(same)))
	open, over := st.room(open, most(src))
	if len(open) == 0 && st.At == "" && st.Sent == len(st.Todo) && st.Full == 0 && kind.Traits().Asks {
		rest, err := s.Ledger.UnseenItems(ctx, st.Workspace, st.Source, st.Look, chunkOf)
		if err != nil {
			return update{}, err
		}
		for _, i := range rest {
			open = append(open, Task{Item{Name: i.Name, Title: i.Title}, Known(i)})
		}
		open, _ = st.room(open, mostItems)
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: st.Sent, Total: len(st.Todo) + len(open)})
	return state.Merge(u, todo.Add(open...), leftOut.Add(over)), nil
}

func named(items []Item) []string {
	return lists.Map(items, func(item Item) string { return item.Name })
}

// most returns how many items of a source are followed.
func most(s ledger.Source) int {
	if s.Rules.Most > 0 {
		return s.Rules.Most
	}
	return usualMost
}

// room returns the tasks that are not yet among those of the look, as many as it has room for, and the number of
// others.
func (st State) room(open []Task, most int) (fit []Task, over int) {
	if len(open) == 0 {
		return nil, 0
	}
	there := lists.SetOf(st.Todo, func(t Task) string { return t.Name })
	for _, t := range open {
		switch {
		case there[t.Name]:
		case len(t.Name) > mostName || len(st.Todo)+len(fit) >= most:
			over++
		default:
			there[t.Name] = true
			fit = append(fit, t)
		}
	}
	return fit, over
}

// mostName is the most bytes of the name of an item.
const mostName = 2000

// sending is the payload of a task that fetches an item.
type sending struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Source    string             `json:"source"`
	Look      domain.RunID       `json:"look"`
	Task      Task               `json:"task"`
}

// fetch opens an item, and has its content read if that is not what it was. A look that is interrupted opens it once more, and
// finds the document that it added.
func (s *Service) fetch(ctx *stategraph.Context, in sending) (update, error) {
	src, kind, place, err := s.opened(ctx, in.Workspace, in.Source)
	if err != nil {
		return update{}, err
	}
	t := in.Task
	now := ledger.SourceItem(t.Was)
	now.Workspace, now.Source, now.Name, now.Title, now.Look = in.Workspace, in.Source, t.Name, t.Title, in.Look
	did := sent.Add(1)
	mark := func(change string) { now.Change, now.ChangeLook, now.ChangeAt = change, in.Look, s.Now() }
	keep := func(more update) (update, error) {
		return state.Merge(did, more), s.Ledger.PutItem(ctx, now)
	}
	back := now.Change == ledger.ItemGone || now.Change == ledger.ItemKept
	if back {
		now.Change = ""
	}
	c, err := kind.Open(ctx, place, t.Item, t.Was.Stamp)
	if c.Body != nil {
		defer c.Body.Close()
	}
	switch {
	case errors.Is(err, ErrSame):
		return keep(seen.Add(1))
	case ctx.Err() != nil:
		return update{}, ctx.Err()
	case domain.KindOf(err) == domain.NotFound && len(t.Was.Documents) > 0:
		mark(ledger.ItemGone)
		return keep(update{})
	case err == nil && c.Body == nil:
		now.Stamp = c.Stamp
		return keep(led.Put(c.Leads...))
	}
	was := now.Hash
	if err == nil {
		err = s.enter(ctx, src, t, c, &now)
	}
	switch {
	case domain.KindOf(err) == domain.TooMany:
		return state.Merge(full.Add(1), led.Put(c.Leads...)), nil
	case ctx.Err() != nil || domain.KindOf(err) == domain.Exhausted:
		return update{}, errors.Join(err, ctx.Err())
	case err != nil:
		again := 0
		if now.Problem = domain.InWords(err); domain.Temporary(err) {
			again = 1
		} else { // it is not fetched again until it changes
			now.Stamp = t.Stamp
		}
		mark(ledger.ItemFailed)
		return keep(state.Merge(seen.Add(1), failed.Add(1), later.Add(again), notes.Add(fmt.Sprintf("%s: %s", t.Name, now.Problem))))
	case was == now.Hash:
		return keep(state.Merge(seen.Add(1), led.Put(c.Leads...)))
	case was == "":
		mark(ledger.ItemNew)
		return keep(state.Merge(seen.Add(1), fresh.Add(1), led.Put(c.Leads...)))
	}
	mark(ledger.ItemChanged)
	return keep(state.Merge(seen.Add(1), changed.Add(1), led.Put(c.Leads...)))
}

// enter adds the content of an item to the library, unless the item had it before, and notes in item what it is now.
func (s *Service) enter(ctx context.Context, src ledger.Source, t Task, c Content, item *ledger.SourceItem) error {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(c.Body, s.MaxBytes+1))
	if err == nil {
		_, err = c.Body.Seek(0, io.SeekStart)
	}
	if err != nil {
		return domain.Because(domain.Unavailable, err, "%s could not be read to its end.", t.Name)
	}
	if n > s.MaxBytes {
		return domain.Errorf(domain.TooLarge, "It is larger than %d MB, the limit set by MAX_UPLOAD_MB.", s.MaxBytes/1_000_000)
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	if hash != item.Hash {
		documents, err := s.Library.Enter(ctx, src, c, item.Documents)
		if err != nil {
			return err
		}
		item.Documents = documents
	}
	item.File = c.Name
	if item.Stamp, item.Hash, item.Problem = c.Stamp, hash, ""; item.Stamp == "" {
		item.Stamp = t.Stamp
	}
	return nil
}

// report notes which items are gone, and the figures of the look. A look that could not read anything fails with the
// first reason, unless the place lists all its items and another try would not read any of them either.
func (s *Service) report(ctx *stategraph.Context, st State) (update, error) {
	src, kind, _, err := s.opened(ctx, st.Workspace, st.Source)
	if err != nil {
		return update{}, err
	}
	listed := src.Kind == OfFolder || kind.Traits().Complete && st.Later == 0
	if st.Failed > 0 && st.Failed == st.Seen && st.Failed == st.Sent && !listed {
		return update{}, domain.Errorf(domain.Unavailable, "%s", st.Notes[0])
	}
	moved := 0
	if kind.Traits().Complete && st.Full == 0 {
		moved, err = s.move(ctx, st)
		if err == nil {
			err = s.Ledger.MissItems(ctx, st.Workspace, st.Source, st.Look)
		}
		if err != nil && domain.KindOf(err) != domain.TooMany { // the queue is full: the next look renames the rest
			return update{}, err
		}
	}
	lost, err := s.Ledger.GoneItems(ctx, st.Workspace, st.Source, st.Look)
	if err != nil {
		return update{}, err
	}
	for _, i := range lost {
		if _, err := s.Ledger.NoteGone(ctx, st.Workspace, i.Name, true); err != nil { // as in the list of documents
			return update{}, err
		}
	}
	return gone.Set(len(lost)), s.Ledger.SetLook(ctx, st.Workspace, st.Source, st.Look, func(k *ledger.Look) {
		k.Seen, k.Fresh, k.Changed, k.Gone, k.Failed, k.LeftOut = st.Seen, st.Fresh-moved, st.Changed, len(lost), st.Failed, st.LeftOut+len(st.Todo)-st.Sent
	})
}

// move gives the documents of items that are not seen the names of those that hold the same by now, and returns how many new items a look
// found to be others under another name. What a person has called otherwise stays.
func (s *Service) move(ctx context.Context, st State) (moved int, err error) {
	twins, err := s.Ledger.TwinItems(ctx, st.Workspace, st.Source, st.Look, mostItems)
	if err != nil || len(twins) == 0 {
		return 0, err
	}
	missing, err := s.Ledger.UnseenItems(ctx, st.Workspace, st.Source, st.Look, mostItems)
	if err != nil {
		return 0, err
	}
	byHash := map[string][]ledger.SourceItem{}
	for _, from := range missing {
		if len(from.Documents) == 1 {
			byHash[from.Hash] = append(byHash[from.Hash], from)
		}
	}
	for _, to := range twins {
		if to.Change == ledger.ItemMoved && to.ChangeLook == st.Look { // before the look was interrupted
			moved++
			continue
		}
		same := byHash[to.Hash]
		i := slices.IndexFunc(same, func(from ledger.SourceItem) bool { return slices.Equal(from.Documents, to.Documents) })
		if i < 0 {
			continue
		}
		from := same[i]
		byHash[to.Hash] = slices.Delete(same, i, i+1)
		if err := s.rename(ctx, st.Workspace, from.Documents[0], from.File, to.File); err != nil {
			return moved, err
		}
		if to.Change == ledger.ItemNew && to.ChangeLook == st.Look {
			moved++
		}
		to.Change, to.ChangeLook, to.ChangeAt, to.From = ledger.ItemMoved, st.Look, s.Now(), from.Name
		if err := s.Ledger.PutItem(ctx, to); err != nil {
			return moved, err
		}
	}
	return moved, nil
}

// rename gives a document that is called like a file the name of another.
func (s *Service) rename(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, from, to string) error {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err == nil && to != "" && (from == "" || doc.Name == from) {
		err = s.Documents.Rename(ctx, w, id, to)
	}
	if domain.KindOf(err) == domain.NotFound { // a person deleted it
		return nil
	}
	return err
}
