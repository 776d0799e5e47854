package langchain

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// texts are the long texts of a request. The library encodes what it is given several
// times, so it is given marks in their place, and they are encoded once at the end.
type texts []string

// A mark is the number of a text between two noncharacters, which no text means.
const markOpens, markCloses = "\uFDD3", "\uFDD4"

// worthMark is the length in bytes from which a text gets a mark.
const worthMark = 200

// withMarks returns the request with marks in place of its long texts. A request that
// holds what a mark begins with is returned as it is.
func withMarks(r llm.Request) (llm.Request, texts) {
	for _, m := range r.Messages {
		if strings.Contains(m.Text, markOpens) || slices.ContainsFunc(m.ToolCalls, func(c llm.ToolCall) bool { return strings.Contains(c.Arguments, markOpens) }) {
			return r, nil
		}
	}
	var kept texts
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if len(m.Text) >= worthMark {
			r.Messages[i].Text = markOpens + strconv.Itoa(len(kept)) + markCloses
			kept = append(kept, m.Text)
		}
	}
	return r, kept
}

// fill replaces the marks in an encoded request by the texts.
func (t texts) fill(body []byte) []byte {
	size := len(body)
	for _, text := range t {
		size += len(text) + len(text)/16 // for what is escaped
	}
	filled := make([]byte, 0, size)
	for {
		before, rest, found := bytes.Cut(body, []byte(markOpens))
		filled = append(filled, before...)
		if !found {
			return filled
		}
		number, after, _ := bytes.Cut(rest, []byte(markCloses))
		n, err := strconv.Atoi(string(number))
		if err != nil || n < 0 || n >= len(t) { // it is part of a tool
			filled, body = append(filled, markOpens...), rest
			continue
		}
		filled, body = appendWithin(filled, t[n]), after
	}
}

// appendWithin appends a text as it stands within a string of JSON. What is no UTF-8
// becomes U+FFFD.
func appendWithin(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // no string fails
	return append(b, quoted[1:len(quoted)-1]...)
}
