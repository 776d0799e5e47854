// Package stategraphtest checks in tests that nodes keep to the rules the engine
// can't enforce. Each check encodes the state several times.
package stategraphtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// CheckMutation gives every node and branch a copy of its input and fails it if
// it changed the copy. For a node that declares what it reads, all other fields
// are blank.
func CheckMutation() stategraph.RunOption {
	return stategraph.Around(func(_ *stategraph.Context, c stategraph.Call) (any, error) {
		given, err := duplicate(c.Input)
		if err != nil {
			return nil, err
		}
		blank(given, c.Unread...)
		before, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		result, err := c.Do(given)
		if err != nil {
			return result, err
		}
		after, err := json.Marshal(given)
		switch {
		case err == nil && bytes.Equal(before, after):
			return result, nil
		case reflect.TypeOf(given).Kind() != reflect.Pointer:
			return nil, errors.New("changed the payload it was sent; nodes return updates")
		}
		return nil, fmt.Errorf("changed the state it was given at %s; nodes return updates", difference(before, after))
	})
}

// CheckReads calls every node that declares what it reads twice, with the whole state and without the undeclared fields,
// and fails it if the results differ. It then calls the node once per field to name the culprit. Nodes must be
// deterministic and repeatable. It finds nothing when combined with CheckMutation, which blanks the same fields.
func CheckReads() stategraph.RunOption {
	return stategraph.Around(func(_ *stategraph.Context, c stategraph.Call) (any, error) {
		result, err := c.Do(c.Input)
		if len(c.Unread) == 0 {
			return result, err
		}
		want := outcome(result, err)
		same, failed := without(c, want, c.Unread...)
		if same || failed != nil {
			return result, errors.Join(err, failed)
		}
		for _, f := range c.Unread {
			if same, failed := without(c, want, f); !same && failed == nil {
				return nil, fmt.Errorf("reads %q, which is not among its declared fields", f.Name())
			}
		}
		return nil, errors.New("reads undeclared fields, none of which makes a difference alone")
	})
}

// without reports whether a call with the fields blank has the wanted outcome.
func without(c stategraph.Call, want string, fields ...state.Field) (same bool, err error) {
	input, err := duplicate(c.Input)
	if err != nil {
		return false, err
	}
	blank(input, fields...)
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return outcome(c.Do(input)) == want, nil
}

// outcome returns the result of a call as text.
func outcome(result any, err error) string {
	if err != nil {
		return err.Error()
	}
	data, err := json.Marshal(result)
	return fmt.Sprintf("%s %v", data, err)
}

// duplicate returns a deep copy.
func duplicate(input any) (any, error) {
	data, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("encode the input to check it: %w", err)
	}
	copied := reflect.New(reflect.TypeOf(input))
	if err := json.Unmarshal(data, copied.Interface()); err != nil {
		return nil, fmt.Errorf("copy the input to check it: %w", err)
	}
	return copied.Elem().Interface(), nil
}

func blank(input any, fields ...state.Field) {
	for _, f := range fields {
		f.Clear(input)
	}
}

// difference returns the first member, by name, in which two JSON objects differ.
func difference(a, b []byte) string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(a, &before) != nil || json.Unmarshal(b, &after) != nil {
		return "its root"
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, name := range names {
		if !bytes.Equal(before[name], after[name]) {
			return fmt.Sprintf("%q", name)
		}
	}
	return "its root"
}
