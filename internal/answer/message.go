package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Who speaks a message.
const (
	FromWriter = "assistant"
	FromTool   = "tool"
)

// Message is one of the messages between a writer and its tools, in the order
// in which they first came.
type Message struct {
	ID      string     `json:"id"`
	From    string     `json:"role"` // FromWriter or FromTool
	Content string     `json:"content"`
	Calls   []ToolCall `json:"tool_calls,omitempty"` // of the writer

	ToolCallID string              `json:"tool_call_id,omitempty"` // of a tool: the call that it answers
	Name       string              `json:"name,omitempty"`         // of the tool
	Status     domain.FigureStatus `json:"status,omitempty"`
	Artifact   *Artifact           `json:"artifact,omitempty"` // of a tool that works in the background
}

// ToolCall is a writer's wish to use a tool.
type ToolCall struct {
	ID        string `json:"id"` // unique in an answer
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the writer sent them: JSON if all went well
}

// Artifact is what a tool makes in the background: what is to be made as long
// as it is pending, which is enough to go on from, and then what came of it.
// Its size is bounded by that of a chart.
type Artifact struct {
	Figure domain.Figure `json:"figure"`
}

// key is what makes a message take the place of another.
func (m Message) key() string {
	if m.ToolCallID != "" {
		return m.ToolCallID
	}
	return m.ID
}

// background is a tool whose calls are answered at once by a placeholder, which
// is replaced when its work is done, while the writer goes on.
type background struct {
	name  string
	most  int    // calls in an answer
	holds string // what the placeholder says
	done  string // what it says once it has come out
}

// task is what a call asks for: one line of bounded length. A call that can't
// be followed is an error for the writer to read.
func (t background) task(call ToolCall) (string, error) {
	var arguments struct {
		Task string `json:"task"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return "", fmt.Errorf("The arguments of %s are not a JSON object with a text named task.", t.name)
	}
	task := domain.Cut(oneLine(strings.ToValidUTF8(arguments.Task, "")), longestTask)
	if task == "" {
		return "", fmt.Errorf("The call of %s has no task: say what it is to show.", t.name)
	}
	return task, nil
}

// longestTask bounds what a call may ask for, in code points.
const longestTask = 500

// placeholder answers a call before its work has begun.
func (t background) placeholder(call ToolCall, f domain.Figure) Message {
	f.Status = domain.FigurePending
	return Message{
		ID: "tool-" + call.ID, From: FromTool, ToolCallID: call.ID, Name: t.name,
		Status: domain.FigurePending, Content: t.holds, Artifact: &Artifact{f},
	}
}

// settled takes the placeholder's place. What it tells the writer of a failure
// is an instruction.
func (t background) settled(f domain.Figure, a apology) Message {
	m := t.placeholder(ToolCall{ID: f.ID}, f)
	m.Artifact.Figure = f
	m.Status, m.Content = f.Status, t.done
	if f.Status == domain.FigureFailed {
		m.Content = a.instruction(f)
	}
	return m
}

// refused answers a call that nothing comes of.
func refused(call ToolCall, why string) Message {
	return Message{
		ID: "tool-" + call.ID, From: FromTool, ToolCallID: call.ID, Name: call.Name, Status: domain.FigureFailed,
		Content: why + " Go on in words.",
	}
}

// messages are those of an answer.
type messages []Message

// open are the calls of the last turn that have no answer.
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

// figures are the artifacts in the order of their placeholders.
func (all messages) figures() []domain.Figure {
	var out []domain.Figure
	for _, m := range all {
		if m.Artifact != nil {
			out = append(out, m.Artifact.Figure)
		}
	}
	return out
}

// have reports whether any figure has a status.
func (all messages) have(status domain.FigureStatus) bool {
	return slices.ContainsFunc(all.figures(), func(f domain.Figure) bool { return f.Status == status })
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
