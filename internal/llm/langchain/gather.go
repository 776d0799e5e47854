package langchain

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// calls gathers tool calls from their pieces.
type calls struct {
	order []*call
	open  map[int]*call // by the index that the server gives
}

type call struct {
	id, name  string
	arguments strings.Builder
}

// add takes one piece. A server that gives all its calls the same index gives
// them different ids at least.
func (c *calls) add(index int, id, name, arguments string) {
	if c.open == nil {
		c.open = map[int]*call{}
	}
	at := c.open[index]
	if at == nil || id != "" && at.id != "" && id != at.id {
		at = &call{}
		c.open[index] = at
		c.order = append(c.order, at)
	}
	if id != "" {
		at.id = id
	}
	if at.name == "" {
		at.name = name
	}
	at.arguments.WriteString(arguments)
}

// list is the calls in the order in which they began. One without an id gets
// one, and one without arguments an empty object.
func (c *calls) list() []llm.ToolCall {
	var out []llm.ToolCall
	for i, k := range c.order {
		t := llm.ToolCall{ID: k.id, Name: k.name, Arguments: k.arguments.String()}
		if t.ID == "" {
			t.ID = fmt.Sprintf("call_%d", i+1)
		}
		if strings.TrimSpace(t.Arguments) == "" {
			t.Arguments = "{}"
		}
		out = append(out, t)
	}
	return out
}

// text gathers an answer's words and passes them on as they come. What a
// model thinks aloud before it answers, between tags, is left out.
type text struct {
	onText   func(string)
	all      strings.Builder
	held     string // the beginning, as long as it may be a thought
	thinking string // the tag that ends the thought
	open     bool   // the answer proper has begun
}

// thoughts are the tags between which models think aloud.
var thoughts = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

func newText(onText func(string)) *text {
	if onText == nil {
		onText = func(string) {}
	}
	return &text{onText: onText}
}

func (t *text) write(s string) {
	if t.open {
		t.pass(s)
		return
	}
	t.held += s
	if t.thinking == "" && !t.begin() {
		return
	}
	if t.thinking != "" {
		_, after, closed := strings.Cut(t.held, t.thinking)
		if !closed {
			return
		}
		t.held, t.thinking = after, ""
		t.write("") // another thought may follow
		return
	}
	t.open = true
	t.pass(t.held)
}

// begin looks whether the held text opens a thought; it reports false as long
// as that can't be told.
func (t *text) begin() bool {
	start := strings.TrimLeft(t.held, " \n\r\t")
	if start == "" {
		return false
	}
	for _, tag := range thoughts {
		if strings.HasPrefix(start, tag[0]) {
			t.thinking = tag[1]
			return true
		}
	}
	for _, tag := range thoughts {
		if strings.HasPrefix(tag[0], start) {
			return false
		}
	}
	t.held = start
	return true
}

func (t *text) pass(s string) {
	if s != "" {
		t.all.WriteString(s)
		t.onText(s)
	}
}

// end is the whole text. A beginning that never became a thought belongs to it.
func (t *text) end() string {
	if !t.open && t.thinking == "" {
		t.pass(strings.TrimSpace(t.held))
		t.open = true
	}
	return t.all.String()
}
