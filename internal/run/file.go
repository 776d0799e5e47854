package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// FileFormat and FileVersion identify the format at the beginning of a file.
const (
	FileFormat  = "clew-run"
	FileVersion = 1
)

// FileExtension ends the names of files.
const FileExtension = ".clewrun.json"

// A File is a run with everything its page shows, as docs/run-file.md describes it. It can be archived, attached to a
// problem report, or read by another program.
type File struct {
	Format   string              `json:"format"`
	Version  int                 `json:"version"`
	Exported time.Time           `json:"exported_at"`
	Run      FileRun             `json:"run"`
	Topology stategraph.Topology `json:"topology"`
	Events   []trace.Event       `json:"events"`
	States   []FileState         `json:"states,omitempty"`
	Calls    []FileCall          `json:"calls,omitempty"`
	Passages []FilePassage       `json:"passages,omitempty"` // with text only
}

// FileRun is a run with the data of its queue.
type FileRun struct {
	ID        domain.RunID `json:"id"`
	Kind      string       `json:"kind"`
	Title     string       `json:"title"` // of its kind: "Answer"
	About     string       `json:"about"` // the question, or the name of the document
	Status    job.Status   `json:"status"`
	Problem   string       `json:"problem,omitempty"`
	Attempt   int          `json:"attempt,omitempty"`
	Cap       string       `json:"cap,omitempty"` // labels the decision of a run that has used up its loops
	StartedAt time.Time    `json:"started_at,omitzero"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
	Tokens    int          `json:"tokens,omitempty"`
}

// FileState is the state of the run's graph, or of a subgraph, after a super-step; super-step 0 is the start.
type FileState struct {
	Within []FileVisit     `json:"within,omitempty"` // nodes around the subgraph, outermost first
	Super  int             `json:"super"`
	State  json.RawMessage `json:"state"`
}

// FileVisit is one visit of a node that holds a subgraph.
type FileVisit struct {
	Node string `json:"node"`
	Step int    `json:"step"`
}

// FileCall is a recorded call of a model.
type FileCall struct {
	Key    string          `json:"key"`
	At     time.Time       `json:"at,omitzero"`
	Answer json.RawMessage `json:"answer,omitempty"` // with text only
}

// FilePassage is the text of a passage that the run names.
type FilePassage struct {
	Chunk    domain.ChunkID    `json:"chunk"`
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"`
	Page     int               `json:"page,omitempty"`
	Text     string            `json:"text"`
}

func fileVisits(within []stategraph.Visit) []FileVisit {
	var list []FileVisit
	for _, v := range within {
		list = append(list, FileVisit{v.Node, v.Step})
	}
	return list
}

// MaxFileBytes is the size of the largest file.
const MaxFileBytes = 32 << 20

// Files writes runs to files. All fields are required.
type Files struct {
	Ledger *ledger.Ledger
	Queue  *job.Queue
	Hub    *trace.Hub
	Now    domain.Clock
}

// Export writes an ended run to a file, with or without the texts of the passages it names and of its recorded calls.
// Errors are NotFound, Conflict for a run that has not ended, and TooLarge.
func (s *Files) Export(ctx context.Context, kinds Kinds, w domain.WorkspaceID, id domain.RunID, texts bool, to io.Writer) error {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return err
	}
	if !r.Status.Ended() {
		return domain.Errorf(domain.Conflict, "The run has not ended. Export it when it has.")
	}
	f, err := s.file(ctx, kinds, r, texts)
	if err != nil {
		return err
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode run %s: %w", r.ID, err)
	}
	if len(data) > MaxFileBytes {
		return domain.Errorf(domain.TooLarge, "The run is too large for a file: it would have %d MB; the limit is %d.", len(data)>>20, MaxFileBytes>>20)
	}
	_, err = to.Write(data)
	return err
}

func (s *Files) file(ctx context.Context, kinds Kinds, r job.Run, texts bool) (*File, error) {
	kind := kinds.Named(r.Kind)
	events, err := s.Hub.Events(ctx, r.Workspace, r.ID, 0)
	if err != nil {
		return nil, err
	}
	about, err := kinds.Subjects(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case len(events) == 0:
		return nil, domain.Errorf(domain.NotFound, "The steps of this run are gone: it read a document that has been deleted.")
	case events[0].Withheld:
		return nil, trace.ErrWithheld
	}
	f := &File{
		Format: FileFormat, Version: FileVersion, Exported: s.Now().UTC(), Topology: kind.Topology, Events: events,
		Run: FileRun{
			ID: r.ID, Kind: r.Kind, Title: kind.Title, About: about[0].Title, Status: r.Status, Problem: r.Problem, Attempt: r.Attempt, Cap: kind.Cap,
			StartedAt: r.StartedAt, EndedAt: r.FinishedAt, Tokens: r.Tokens,
		},
	}
	if f.States, err = fileStates(ctx, kind, r.ID, events); err != nil {
		return nil, err
	}
	if err := s.addCalls(ctx, f, r, texts); err != nil {
		return nil, err
	}
	if texts {
		return f, s.addPassages(ctx, f, r.Workspace)
	}
	f.leaveOutQuotations()
	return f, nil
}

// fileStates collects the states at all moments of a run and before them. It leaves out those that are no longer kept.
func fileStates(ctx context.Context, kind Kind, id domain.RunID, events []trace.Event) ([]FileState, error) {
	moments, _ := trace.Moments(id, kind.Topology, events)
	var list []FileState
	for _, m := range moments {
		for super := max(0, m.Super-1); super <= m.Super; super++ {
			within := fileVisits(m.Within)
			if slices.ContainsFunc(list, func(s FileState) bool { return s.Super == super && slices.Equal(s.Within, within) }) {
				continue
			}
			at := m
			at.Super = super
			state, err := kind.StateAt(ctx, id, at)
			if domain.KindOf(err) == domain.NotFound && err != nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			list = append(list, FileState{Within: within, Super: super, State: state})
		}
	}
	return list, nil
}

func (s *Files) addCalls(ctx context.Context, f *File, r job.Run, texts bool) error {
	calls, err := s.Ledger.RunCalls(ctx, r.Workspace, r.ID, domain.DocumentID(r.Subject))
	for _, c := range calls {
		call := FileCall{Key: c.Key, At: c.At.UTC()}
		if texts {
			call.Answer = c.Answer
		}
		f.Calls = append(f.Calls, call)
	}
	return err
}

// chunkIDs matches the ids of chunkIDs.
var chunkIDs = regexp.MustCompile(`\bc[0-9a-f]{20}\b`)

// addPassages adds the texts of all passages that the events and fileStates name.
func (s *Files) addPassages(ctx context.Context, f *File, w domain.WorkspaceID) error {
	data, err := json.Marshal([]any{f.Events, f.States})
	if err != nil {
		return fmt.Errorf("encode a run: %w", err)
	}
	named := chunkIDs.FindAllString(string(data), -1)
	slices.Sort(named)
	found, err := s.Ledger.Passages(ctx, w, IDs[domain.ChunkID](slices.Compact(named)))
	for _, p := range found {
		f.Passages = append(f.Passages, FilePassage{Chunk: p.ID, Document: p.Document, Name: p.Name, Page: p.Page, Text: p.Text})
	}
	return err
}

// leaveOutQuotations removes the words of documents that citations quote.
func (f *File) leaveOutQuotations() {
	for i := range f.Events {
		e := &f.Events[i]
		e.Update, e.Payload = unquoted(e.Update), unquoted(e.Payload)
	}
	for i := range f.States {
		f.States[i].State = unquoted(f.States[i].State)
	}
}

// unquoted returns JSON without the texts of objects that have a span. Everything else stays byte for byte.
func unquoted(data json.RawMessage) json.RawMessage {
	if !spanKey.Match(data) {
		return data
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	unquote(v)
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

var spanKey = regexp.MustCompile(`"span"\s*:`)

func unquote(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			unquote(item)
		}
	case map[string]any:
		if _, ok := v["span"]; ok && v["text"] != nil {
			v["text"] = ""
		}
		for _, item := range v {
			unquote(item)
		}
	}
}
