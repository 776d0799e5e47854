package stategraph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// checked calls f with a copy of the state and reports a change that it made
// to the copy or to the payload. A copy, because nodes of one step share the
// state: only so is the one that changed it known.
func checked[S, R any](s *S, payload any, f func(*S) (R, error)) (R, error) {
	var none R
	given, err := json.Marshal(s)
	if err != nil {
		return none, fmt.Errorf("encode the state to check it: %w", err)
	}
	sent, err := json.Marshal(payload)
	if err != nil {
		return none, fmt.Errorf("encode the payload to check it: %w", err)
	}
	var copied S
	if err := json.Unmarshal(given, &copied); err != nil {
		return none, fmt.Errorf("copy the state to check it: %w", err)
	}
	result, err := f(&copied)
	if err != nil {
		return none, err
	}
	if after, err := json.Marshal(copied); err != nil || !bytes.Equal(given, after) {
		return none, fmt.Errorf("changed the state it was given at %s; nodes return updates", difference(given, after))
	}
	if after, err := json.Marshal(payload); err != nil || !bytes.Equal(sent, after) {
		return none, errors.New("changed the payload it was sent; nodes return updates")
	}
	return result, nil
}

// difference is the first member, by name, in which two JSON objects differ.
func difference(a, b []byte) string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(a, &before) != nil || json.Unmarshal(b, &after) != nil {
		return "its root"
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			before[name] = nil
		}
	}
	for _, name := range sortedKeys(before) {
		if !bytes.Equal(before[name], after[name]) {
			return fmt.Sprintf("%q", name)
		}
	}
	return "its root"
}
