package present

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Limits of a state on a page; its JSON has no limits.
const (
	maxItems = 24  // of a list or object
	maxDepth = 3   // of objects within each other; what is deeper is text
	maxText  = 600 // code points of a text that is no text of the run's subject
)

// Moment returns the drawing of a run at its moment n, or at its last for n < 0. A run whose events were deleted has none:
// ok is false. The error is NotFound for a moment that the run does not have.
func (p *Runs) Moment(ctx context.Context, l Log, n int) (drawn partial.MomentProps, ok bool, err error) {
	if len(l.Moments) == 0 {
		return drawn, false, nil
	}
	if n < 0 {
		n = len(l.Moments) - 1
	}
	m, err := trace.MomentAt(l.Moments, n)
	if err != nil {
		return drawn, false, err
	}
	then := l.View
	if m.N < len(l.Moments)-1 {
		then = trace.Fold(l.ID, l.Kind.Topology, until(l.Events, m.Seq))
	}
	drawn = partial.MomentProps{Trace: p.draw(ctx, l, then), N: m.N, Rail: rail(l.View, l.Moments)}
	drawn.Forks = len(m.Within) == 0 && (l.View.State != trace.Done || m.N < len(l.Moments)-1)
	for _, row := range m.Rows {
		drawn.Steps = append(drawn.Steps, p.row(ctx, l.Workspace, l.View, l.Kind.Name, l.View.Steps[row-1]))
		drawn.Reads = append(drawn.Reads, reads(l.Kind.Topology, l.View.Steps[row-1])...)
	}
	if drawn.Walk, err = p.walk(ctx, l, m); err != nil {
		return drawn, false, err
	}
	slices.Sort(drawn.Reads)
	drawn.Reads = slices.Compact(drawn.Reads)
	fields, err := l.Kind.Fields(ctx, l.ID, m)
	if domain.KindOf(err) == domain.NotFound && err != nil {
		drawn.Gone = domain.InWords(err)
		return drawn, true, nil
	}
	names := l.naming()
	for _, f := range fields {
		drawn.State = append(drawn.State, field(f, names))
		said := &drawn.State[len(drawn.State)-1]
		said.Plain = diagram.PlainField(l.View.Graph, f.Name)
		said.Known = said.After.Text == string(l.ID) || said.After.Text == string(l.Workspace)
	}
	return drawn, true, err
}

// walk returns the picture of the search that ended before a moment, if one did.
func (p *Runs) walk(ctx context.Context, l Log, m trace.Moment) (*partial.WalkProps, error) {
	for _, row := range m.Rows {
		if s := l.View.Steps[row-1]; p.Walks != nil && len(s.Found) > 0 {
			return p.Walks.Draw(ctx, l.Workspace, s.Found)
		}
	}
	return nil, nil //nolint:nilnil // no search, no picture
}

// until returns the events up to a number.
func until(events []trace.Event, seq int) []trace.Event {
	i, _ := slices.BinarySearchFunc(events, seq+1, func(e trace.Event, seq int) int { return e.Seq - seq })
	return events[:i]
}

func rail(v *trace.View, moments []trace.Moment) []partial.StopProps {
	stops := make([]partial.StopProps, len(moments))
	for i, m := range moments {
		stops[i].N = m.N
		for _, row := range m.Rows {
			s := v.Steps[row-1]
			stops[i].Names = append(stops[i].Names, s.Node)
			stops[i].Took = max(stops[i].Took, s.Took).Round(time.Millisecond)
		}
	}
	return stops
}

// reads lists the fields that the node of a step declares to read.
func reads(t stategraph.Topology, s *trace.Step) []string {
	for _, name := range s.Path {
		i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == name })
		if i < 0 || t.Nodes[i].Graph == nil {
			return nil
		}
		t = *t.Nodes[i].Graph
	}
	i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == s.Node })
	if i < 0 {
		return nil
	}
	return t.Nodes[i].Reads
}

// A naming says in words what the values of a state are.
type naming struct {
	passages map[domain.ChunkID]string
}

// naming names the passages that were graded in the run.
func (l Log) naming() naming {
	n := naming{map[domain.ChunkID]string{}}
	for _, s := range l.View.Steps {
		for _, g := range s.Grades {
			n.passages[g.Chunk] = g.Where()
		}
	}
	return n
}

// field returns a field of a state.
func field(f run.Field, n naming) partial.FieldProps {
	p := partial.FieldProps{Name: f.Name, After: n.value(f.After, 0)}
	if f.Changed() {
		p.Before, p.Change = n.value(f.Before, 0), change(f)
	}
	return p
}

// change says how a field changed: a list that grew says by how much.
func change(f run.Field) string {
	before, after := membersOf(f.Before), membersOf(f.After)
	if !after.items || !before.items && !empty(f.Before) {
		return "changed"
	}
	d := differ(before.list, after.list)
	if d.grew {
		return fmt.Sprintf("+%s (now %s)", format.Int(d.changed), format.Int(len(after.list)))
	}
	return fmt.Sprintf("%s changed (now %s)", format.Int(d.changed), format.Int(len(after.list)))
}

// difference is how many items of a list are other ones than before, and whether the list only grew.
type difference struct {
	changed int
	grew    bool
}

func differ(before, after []run.Field) difference {
	d := difference{changed: max(0, len(after)-len(before)), grew: len(after) > len(before)}
	for i := range min(len(before), len(after)) {
		if !bytes.Equal(before[i].After, after[i].After) {
			d.changed, d.grew = d.changed+1, false
		}
	}
	return d
}

// Value returns a value of a state, with links to what its ids name.
func Value(data json.RawMessage) partial.Value { return naming{}.value(data, 0) }

// value returns a value of a state, found at a depth.
func (n naming) value(data json.RawMessage, depth int) partial.Value {
	if members, list, err := run.Members(data); err == nil && depth < maxDepth && len(data) > 0 && strings.ContainsRune("{[", rune(data[0])) {
		v := partial.Value{List: list, Count: len(members)}
		if v.Count == 0 {
			return partial.Value{Text: "empty", Quiet: true}
		}
		if !list {
			v.Name, v.Decided = n.passage(data)
		}
		for _, m := range members[:min(len(members), maxItems)] {
			v.Members = append(v.Members, partial.Member{Name: m.Name, Value: n.value(m.After, depth+1)})
		}
		return v
	}
	text := string(data)
	if len(data) > 0 && data[0] == '"' {
		_ = json.Unmarshal(data, &text)
	}
	switch {
	case text == "" || text == "null":
		return partial.Value{Text: "empty", Quiet: true}
	case id.MatchString(text):
		return partial.Value{Text: text, URL: addressOf(text)}
	}
	return partial.Value{Text: domain.Cut(text, maxText)}
}

// passage returns the name of a passage of a state, and what a person decided on it. Objects
// that are no passage have neither.
func (n naming) passage(data json.RawMessage) (name string, d partial.Decision) {
	var passage answer.Document
	if err := json.Unmarshal(data, &passage); err != nil {
		return "", d
	}
	if passage.Decided != "" {
		d.Grade = domain.Grade{Verdict: passage.Decided}.Said()
		if was := passage.Graded(); was.Verdict != passage.Decided {
			d.Was, d.Why = was.Said(), was.Reason
		}
	}
	return n.passages[passage.Chunk], d
}

// id matches the ids of documents, chunks and entities.
var id = regexp.MustCompile(`^[dce][0-9a-f]{20}$`)

// addressOf returns the page of what an id names.
func addressOf(id string) string {
	switch {
	case strings.HasPrefix(id, "d"):
		return link.Document(domain.DocumentID(id))
	case strings.HasPrefix(id, "e"):
		return link.Entity(domain.EntityID(id))
	}
	return link.Chunk(domain.ChunkID(id))
}
