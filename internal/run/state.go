package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Field is one field of a state before and after a super-step.
type Field struct {
	Name   string
	Before json.RawMessage // nil at the start of a run
	After  json.RawMessage
}

// Changed reports whether the super-step changed the field.
func (f Field) Changed() bool { return f.Before != nil && !bytes.Equal(f.Before, f.After) }

// StateAt returns the state of a run at a moment, as JSON. The error is NotFound if the state is not kept, or can't be
// distinguished from those of other runs of the same subgraph.
func (k Kind) StateAt(ctx context.Context, id domain.RunID, m trace.Moment) (json.RawMessage, error) {
	return k.state(ctx, id, m, m.Super)
}

// Fields returns the fields of the state at a moment, in the order of the state's type, with their values before the
// super-step. Errors are those of StateAt.
func (k Kind) Fields(ctx context.Context, id domain.RunID, m trace.Moment) ([]Field, error) {
	after, err := k.state(ctx, id, m, m.Super)
	if err != nil {
		return nil, err
	}
	fields, _, err := Members(after)
	if err != nil || m.N == 0 {
		return fields, err
	}
	before, err := k.state(ctx, id, m, m.Super-1)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(before, &values); err != nil {
		return nil, fmt.Errorf("decode a state of run %s: %w", id, err)
	}
	for i, f := range fields {
		fields[i].Before = values[f.Name]
		if fields[i].Before == nil { // left out if empty
			fields[i].Before = json.RawMessage("null")
		}
	}
	return fields, nil
}

func (k Kind) state(ctx context.Context, id domain.RunID, m trace.Moment, step int) (json.RawMessage, error) {
	if k.State == nil {
		return nil, domain.Errorf(domain.NotFound, "This version can't read the states of such a run.")
	}
	if m.Shared {
		return nil, domain.Errorf(domain.NotFound, "Several of these ran at the same time, so their states can't be told apart.")
	}
	state, err := k.State(ctx, string(id), m.Within, step)
	return state, InWords(err)
}

// InWords returns an error of reading a thread, in words if a state is not kept.
func InWords(err error) error {
	if errors.Is(err, stategraph.ErrNoThread) {
		return domain.Because(domain.NotFound, err, "The states of this run are no longer kept. KEEP_RUNS sets how long they are.")
	}
	return err
}

// Members returns the members of a JSON object in order, or the items of a list, which have no name. It returns none for
// any other value.
func Members(data json.RawMessage) (members []Field, list bool, err error) {
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil, false, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	_, err = d.Token()
	for list = data[0] == '['; err == nil && d.More(); {
		var m Field
		if !list {
			var name json.Token
			if name, err = d.Token(); err != nil {
				break
			}
			m.Name = fmt.Sprint(name)
		}
		err = d.Decode(&m.After)
		members = append(members, m)
	}
	if err != nil {
		return nil, list, fmt.Errorf("decode a state: %w", err)
	}
	return members, list, nil
}
