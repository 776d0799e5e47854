package present

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/partial"
)

// Limits of what is said of a change; the state itself is one link away.
const (
	maxChange = 72 // code points of a text
	maxWords  = 3  // members of an object in one line
	maxLines  = 6  // of an object whose members changed
)

// Changes returns what the row n of a run's steps changed in the state, line by line. The error is NotFound for a step that
// has not ended.
func (l Log) Changes(ctx context.Context, n int) (partial.ChangesProps, error) {
	p := partial.ChangesProps{Run: l.ID, N: n}
	i := l.MomentOf(n)
	if i < 0 {
		return p, domain.Errorf(domain.NotFound, "The run has finished no step %d.", n)
	}
	fields, err := l.Kind.Fields(ctx, l.ID, l.Moments[i])
	if domain.KindOf(err) == domain.NotFound && err != nil {
		p.Gone = domain.InWords(err)
		return p, nil
	}
	writes := l.View.Steps[n-1].Writes
	for _, f := range fields {
		if f.Changed() && slices.Contains(writes, f.Name) { // others are of steps beside it
			p.Lines = append(p.Lines, changes(f)...)
		}
	}
	return p, err
}

// changes says how a field changed: what it was and is, of a list that grew what came last, of an object which members.
func changes(f run.Field) []partial.ChangeLine {
	line := func(added bool, words ...string) partial.ChangeLine {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		return partial.ChangeLine{Added: added, Field: f.Name, Value: strings.Join(words, "  ")}
	}
	was, is := membersOf(f.Before), membersOf(f.After)
	if is.object {
		return ofMembers(was.list, is.list, line)
	}
	if d := differ(was.list, is.list); is.items && d.grew {
		return []partial.ChangeLine{line(true, format.Int(len(is.list)), inShort(is.list[len(is.list)-1].After))}
	} else if is.items && was.items && len(is.list) > 0 {
		return []partial.ChangeLine{line(false, format.Int(len(was.list))), line(true, format.Int(len(is.list)), format.Int(d.changed)+" changed")}
	}
	var out []partial.ChangeLine
	if !empty(f.Before) {
		out = append(out, line(false, inShort(f.Before)))
	}
	if !empty(f.After) {
		out = append(out, line(true, inShort(f.After)))
	}
	return out
}

// ofMembers says which members of an object came, and which became others.
func ofMembers(was, is []run.Field, line func(added bool, words ...string) partial.ChangeLine) []partial.ChangeLine {
	before := map[string]string{}
	for _, m := range was {
		before[m.Name] = string(m.After)
	}
	var out []partial.ChangeLine
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

// members are those of an object, or the items of a list.
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

// empty reports whether a value says nothing.
func empty(data json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}"}, string(data))
}

// inShort writes a value in a few words: of a list how long it is, of an object what it says of itself.
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
	return "“" + domain.Cut(strings.Join(strings.Fields(text), " "), maxChange) + "”"
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
