package trace

import (
	"encoding/json"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// foldStep folds an event of a step that has started.
func (v *View) foldStep(e Event) []*Step {
	v.foldAnswer(e)
	s := v.find(e)
	if s == nil {
		return nil
	}
	switch e.Kind {
	case string(stategraph.NodeEnd):
		s.ended(e.Task)
		v.nodeEnd(s, e)
	case string(stategraph.NodeFailed):
		s.ended(e.Task)
		s.counted()
		s.State, s.Problem = Failed, e.Problem
		v.lasted(s, e.At)
		v.setNode(s.Name(), Failed)
	case string(stategraph.NodeRetry):
		s.Attempt, s.Problem = e.Attempt, e.Problem
		s.waits(e.Task, domain.Wait{For: domain.WaitRetry, Pause: e.Pause, Why: e.Problem}, e.At)
	case string(stategraph.Custom):
		s.note(e)
	default:
		return nil
	}
	return []*Step{s}
}

func (v *View) nodeEnd(s *Step, e Event) {
	s.TasksDone++
	v.lasted(s, e.At)
	s.wrote(e.Update)
	if s.TasksDone < s.Tasks {
		return
	}
	s.counted()
	s.State, s.Problem = Done, ""
	v.setNode(s.Name(), Done)
}

// wrote adds the fields of an update.
func (s *Step) wrote(update json.RawMessage) {
	var fields map[string]json.RawMessage
	if len(update) == 0 || json.Unmarshal(update, &fields) != nil {
		return
	}
	for name := range fields {
		if i, found := slices.BinarySearch(s.Writes, name); !found {
			s.Writes = slices.Insert(s.Writes, i, name)
		}
	}
	s.cites(fields["citations"])
	s.claims(fields["sentences"])
}

// Cites counts the passages that an answer cites.
type Cites struct {
	Relied int // for what it says
	Close  int // besides, for what comes close
}

// cites counts the passages of the field of citations, if a step wrote it.
func (s *Step) cites(field json.RawMessage) {
	var citations []domain.Citation
	if len(field) == 0 || json.Unmarshal(field, &citations) != nil {
		return
	}
	s.Cites = &Cites{}
	seen := map[domain.ChunkID]bool{}
	for _, c := range citations {
		switch {
		case seen[c.Chunk]:
		case c.Close:
			s.Cites.Close++
		default:
			s.Cites.Relied++
		}
		seen[c.Chunk] = true
	}
}

// Claims counts the sentences of an answer that are from documents.
type Claims struct {
	All    int
	Held   int // supported
	Quoted int // the words of a document
}

// claims counts the sentences of the field of sentences, if a step wrote it.
func (s *Step) claims(field json.RawMessage) {
	var sentences []domain.Sentence
	if len(field) == 0 || json.Unmarshal(field, &sentences) != nil {
		return
	}
	s.Claims = &Claims{}
	for _, said := range sentences {
		if said.Remark {
			continue
		}
		s.Claims.All++
		if said.Supported {
			s.Claims.Held++
		}
		if said.Quote {
			s.Claims.Quoted++
		}
	}
}

// note keeps what a node reported about its work.
func (s *Step) note(e Event) {
	switch e.Custom {
	case domain.EventAsked:
		s.counted()
		collect(e.Payload, &s.Usages)
		if n := len(s.Usages); n > 0 {
			s.Usages[n-1].Estimated = true
		}
	case domain.EventUsage:
		s.counted()
		collect(e.Payload, &s.Usages)
	case domain.EventGrade:
		collect(e.Payload, &s.Grades)
	case domain.EventRewrite:
		collect(e.Payload, &s.Rewrites)
	case domain.EventMethod:
		collect(e.Payload, &s.Methods)
	case domain.EventFound:
		var f domain.Found
		if json.Unmarshal(e.Payload, &f) == nil {
			s.Found = f.Passages
		}
	case domain.EventWords:
		var w domain.Words
		if json.Unmarshal(e.Payload, &w) == nil {
			s.Words = &w
		}
	case domain.EventProgress:
		var p domain.Progress
		// Tasks run at the same time: a count may come after a later one.
		if json.Unmarshal(e.Payload, &p) == nil && (s.Progress == nil || p.Done >= s.Progress.Done) {
			s.Progress = &p
		}
	case domain.EventWait:
		var w domain.Wait
		if json.Unmarshal(e.Payload, &w) == nil {
			s.waits(e.Task, w, e.At)
		}
	case domain.EventNote:
		var n domain.Note
		if json.Unmarshal(e.Payload, &n) == nil {
			s.Notes = append(s.Notes, n.Text)
		}
	}
}

// counted takes the estimate of a call away that has ended.
func (s *Step) counted() {
	s.Usages = slices.DeleteFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated })
}

// Wrote notes about how many tokens the call at work has written, and returns its step, nil if none is at work.
func (v *View) Wrote(tokens int) *Step {
	for _, s := range slices.Backward(v.Steps) {
		if i := slices.IndexFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated }); i >= 0 {
			s.Usages[i].Output = tokens
			return s
		}
	}
	return nil
}

// collect appends a decoded payload. It leaves out a malformed one.
func collect[T any](payload json.RawMessage, list *[]T) {
	var item T
	if json.Unmarshal(payload, &item) == nil {
		*list = append(*list, item)
	}
}

// foldAnswer folds the events of the answer itself: its charts, each reported when requested and when settled, and the end of
// its text.
func (v *View) foldAnswer(e Event) {
	if e.Kind != string(stategraph.Custom) {
		return
	}
	switch e.Custom {
	case domain.EventWritten:
		v.Written = true
	case domain.EventFigure:
		var f domain.Figure
		if json.Unmarshal(e.Payload, &f) != nil {
			return
		}
		if i := slices.IndexFunc(v.Figures, func(o domain.Figure) bool { return o.ID == f.ID }); i >= 0 {
			v.Figures[i] = f
		} else {
			v.Figures = append(v.Figures, f)
		}
	}
}
