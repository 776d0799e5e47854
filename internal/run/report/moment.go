package report

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
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
)

// Limits of a state on a page; its JSON has no limits.
const (
	maxItems = 24  // in a list or object
	maxDepth = 3   // of nested objects; anything deeper is text
	maxText  = 600 // code points of a text other than that of the run's subject
)

// Moment returns the run at its moment n, or at its last for n < 0. It returns nil for a run whose events were deleted. The
// error is NotFound for a moment that the run does not have.
func (p *Runs) Moment(ctx context.Context, l Log, n int) (*outline.Moment, error) {
	if len(l.Moments) == 0 {
		return nil, nil //nolint:nilnil // there is no moment
	}
	m, err := l.at(n)
	if err != nil {
		return nil, err
	}
	then := l.View
	if m.N < len(l.Moments)-1 {
		then = trace.Fold(l.ID, l.Kind.Topology, until(l.Events, m.Seq))
	}
	shown := &outline.Moment{Trace: p.draw(ctx, l, then), N: m.N, Rail: rail(l.View, l.Moments)}
	shown.Forks = len(m.Within) == 0 && (l.View.State != trace.Done || m.N < len(l.Moments)-1)
	for _, row := range m.Rows {
		s := l.View.Steps[row-1]
		shown.Steps = append(shown.Steps, p.row(ctx, l.Workspace, l.View, s, p.Loops[l.Kind.Name]))
		shown.Reads = append(shown.Reads, reads(l.Kind.Topology, s)...)
		if shown.Walk == nil {
			if shown.Walk, err = p.Walk(ctx, l.Workspace, s.Found); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(shown.Reads)
	shown.Reads = slices.Compact(shown.Reads)
	fields, err := l.Kind.Fields(ctx, l.ID, m)
	if domain.KindOf(err) == domain.NotFound && err != nil {
		shown.Gone = domain.InWords(err)
		return shown, nil
	}
	names := l.naming()
	for _, f := range fields {
		said := field(f, names)
		said.Plain = diagram.PlainField(l.View.Graph, f.Name)
		said.Known = said.After.Text == string(l.ID) || said.After.Text == string(l.Workspace)
		shown.State = append(shown.State, said)
	}
	return shown, err
}

// until returns the events up to number seq.
func until(events []trace.Event, seq int) []trace.Event {
	i, _ := slices.BinarySearchFunc(events, seq+1, func(e trace.Event, seq int) int { return e.Seq - seq })
	return events[:i]
}

func rail(v *trace.View, moments []trace.Moment) []outline.Stop {
	stops := make([]outline.Stop, len(moments))
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

// A naming describes the values of a state in words.
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
func field(f run.Field, n naming) outline.Field {
	p := outline.Field{Name: f.Name, After: n.value(f.After, 0)}
	if f.Changed() {
		p.Before, p.Change = n.value(f.Before, 0), change(f)
	}
	return p
}

// change describes how a field changed. For a list that grew, it says by how much.
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

// difference is the number of changed items of a list, and whether the list only grew.
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

// ValueOf returns a value of a state.
func ValueOf(data json.RawMessage) outline.Value { return naming{}.value(data, 0) }

// value returns a value of a state, found at a depth.
func (n naming) value(data json.RawMessage, depth int) outline.Value {
	if members, list, err := run.Members(data); err == nil && depth < maxDepth && len(data) > 0 && strings.ContainsRune("{[", rune(data[0])) {
		v := outline.Value{List: list, Count: len(members)}
		if v.Count == 0 {
			return outline.Value{Text: "empty", Quiet: true}
		}
		if !list {
			v.Name, v.Decided = n.passage(data)
		}
		for _, m := range members[:min(len(members), maxItems)] {
			v.Members = append(v.Members, outline.Member{Name: m.Name, Value: n.value(m.After, depth+1)})
		}
		return v
	}
	text := string(data)
	if len(data) > 0 && data[0] == '"' {
		_ = json.Unmarshal(data, &text)
	}
	switch {
	case text == "" || text == "null":
		return outline.Value{Text: "empty", Quiet: true}
	case id.MatchString(text):
		return outline.Value{Text: text, ID: true}
	}
	return outline.Value{Text: domain.Cut(text, maxText)}
}

// passage returns the name of a passage of a state, and a person's decision on it. Both are empty for objects other than
// passages.
func (n naming) passage(data json.RawMessage) (name string, d outline.Decision) {
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

// Limits of the description of a change; the whole state is one link away.
const (
	maxChange = 72 // code points of a text
	maxWords  = 3  // members of an object in one line
	maxLines  = 6  // of an object with changed members
)

// Changes returns the changes of step n of a run to the state, line by line. The error is NotFound for a step that has
// not ended.
func (l Log) Changes(ctx context.Context, n int) (outline.Changes, error) {
	p := outline.Changes{Run: l.ID, N: n}
	i := l.MomentOf(n)
	if i < 0 {
		return p, domain.Errorf(domain.NotFound, "The run has not finished a step %d.", n)
	}
	fields, err := l.Kind.Fields(ctx, l.ID, l.Moments[i])
	if domain.KindOf(err) == domain.NotFound && err != nil {
		p.Gone = domain.InWords(err)
		return p, nil
	}
	writes := l.View.Steps[n-1].Writes
	for _, f := range fields {
		if f.Changed() && slices.Contains(writes, f.Name) { // others belong to parallel steps
			p.Lines = append(p.Lines, changes(f)...)
		}
	}
	return p, err
}

// changes describes how a field changed: old and new value, the items added to a list, or the changed members of an
// object.
func changes(f run.Field) []outline.Change {
	line := func(added bool, words ...string) outline.Change {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		return outline.Change{Added: added, Field: f.Name, Value: strings.Join(words, "  ")}
	}
	was, is := membersOf(f.Before), membersOf(f.After)
	if is.object {
		return ofMembers(was.list, is.list, line)
	}
	if d := differ(was.list, is.list); is.items && d.grew {
		return []outline.Change{line(true, format.Int(len(is.list)), inShort(is.list[len(is.list)-1].After))}
	} else if is.items && was.items && len(is.list) > 0 {
		return []outline.Change{line(false, format.Int(len(was.list))), line(true, format.Int(len(is.list)), format.Int(d.changed)+" changed")}
	}
	var out []outline.Change
	if !empty(f.Before) {
		out = append(out, line(false, inShort(f.Before)))
	}
	if !empty(f.After) {
		out = append(out, line(true, inShort(f.After)))
	}
	return out
}

// ofMembers lists the members of an object that were added or changed.
func ofMembers(was, is []run.Field, line func(added bool, words ...string) outline.Change) []outline.Change {
	before := lists.Pairs(was, func(m run.Field) (string, string) { return m.Name, string(m.After) })
	var out []outline.Change
	for _, m := range is {
		if string(m.After) == before[m.Name] || empty(m.After) {
			continue
		}
		if len(out) == maxLines {
			return append(out, line(true, "and more"))
		}
		out = append(out, line(true, m.Name, inShort(m.After)))
	}
	return out
}

// members are the members of an object, or the items of a list.
type members struct {
	list          []run.Field
	object, items bool
}

func membersOf(data json.RawMessage) members {
	list, items, err := run.Members(data)
	if err != nil || len(data) == 0 {
		return members{}
	}
	return members{list, data[0] == '{', items}
}

// empty reports whether a value is missing, null, or an empty string, list or object.
func empty(data json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}"}, string(data))
}

// inShort writes a value in a few words: the length of a list, or the main members of an object.
func inShort(data json.RawMessage) string {
	switch m := membersOf(data); {
	case m.items:
		return format.Count(len(m.list), "item", "items")
	case m.object:
		return ofObject(m.list)
	}
	var text string
	if json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return "“" + domain.Cut(domain.OneLine(text), maxChange) + "”"
}

// ofObject writes the first members of an object that a person can read.
func ofObject(list []run.Field) string {
	var words []string
	for _, m := range list {
		switch text := strings.Trim(string(m.After), `"`); {
		case len(words) == maxWords:
			return strings.Join(words, ", ")
		case empty(m.After) || strings.ContainsRune("{[", rune(m.After[0])) || id.MatchString(text):
		case len(words) == 0 && m.After[0] == '"': // its name
			words = append(words, inShort(m.After))
		default:
			words = append(words, m.Name+" "+inShort(m.After))
		}
	}
	return strings.Join(words, ", ")
}
