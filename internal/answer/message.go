package answer

import (
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The senders of messages.
const (
	FromWriter = "assistant"
	FromTool   = "tool"
)

// Message is a message between a writer and its tools. Messages are in the order
// in which they first came.
type Message struct {
	ID      string     `json:"id"`
	From    string     `json:"role"` // FromWriter or FromTool
	Content string     `json:"content"`
	Calls   []ToolCall `json:"tool_calls,omitempty"` // of the writer

	ToolCallID string              `json:"tool_call_id,omitempty"` // of a tool: the call it answers
	Name       string              `json:"name,omitempty"`         // of the tool
	Status     domain.FigureStatus `json:"status,omitempty"`
	Artifact   *Artifact           `json:"artifact,omitempty"` // of a tool that works in the background
}

// ToolCall is a writer's call of a tool.
type ToolCall struct {
	ID        string `json:"id"` // unique in an answer
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the writer sent them: usually JSON
}

// Artifact is the product of a tool in the background: while pending its task,
// which is enough to resume from, then its outcome.
type Artifact struct {
	Figure domain.Figure `json:"figure"`
}

// key identifies a message: a later one with the same key replaces it.
func (m Message) key() string {
	if m.ToolCallID != "" {
		return m.ToolCallID
	}
	return m.ID
}

type messages []Message

// open returns the calls of the last turn that have no answer.
func (all messages) open() []ToolCall {
	for _, m := range slices.Backward(all) {
		if m.From != FromWriter {
			continue
		}
		return slices.DeleteFunc(slices.Clone(m.Calls), func(c ToolCall) bool {
			return slices.ContainsFunc(all, func(a Message) bool { return a.ToolCallID == c.ID })
		})
	}
	return nil
}

// figures returns the charts in the order of their calls.
func (all messages) figures() []domain.Figure {
	var out []domain.Figure
	for _, m := range all {
		if m.Artifact != nil {
			out = append(out, m.Artifact.Figure)
		}
	}
	return out
}

// withStatus returns the charts with a status.
func (all messages) withStatus(status domain.FigureStatus) []domain.Figure {
	return slices.DeleteFunc(all.figures(), func(f domain.Figure) bool { return f.Status != status })
}

// turns counts the turns of the writer.
func (all messages) turns() int {
	n := 0
	for _, m := range all {
		if m.From == FromWriter {
			n++
		}
	}
	return n
}

// failuresHidden returns the messages with failed charts shown as pending, until
// the writer is asked to make up for them.
func (all messages) failuresHidden() messages {
	all = slices.Clone(all)
	for i, m := range all {
		if m.Artifact != nil && m.Status == domain.FigureFailed {
			all[i].Content, all[i].Status = placeholderText, domain.FigurePending
		}
	}
	return all
}

// withUniqueIDs gives each call a unique id: some models leave it out or count
// from the start in each turn.
func (all messages) withUniqueIDs(calls []ToolCall) []ToolCall {
	taken := map[string]bool{"": true}
	for _, m := range all {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	out := slices.Clone(calls)
	for i := range out {
		if taken[out[i].ID] || len(out[i].ID) > 64 {
			out[i].ID = fmt.Sprintf("call-%d-%d", all.turns()+1, i+1)
		}
		taken[out[i].ID] = true
	}
	return out
}
