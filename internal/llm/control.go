package llm

import (
	"regexp"
	"slices"
	"strings"
)

// Servers write a conversation as one text, by the chat template of the model, and
// many of them then read the template's control tokens wherever they stand: a
// document that quotes one would end its message and begin another. An invisible
// character within the token prevents that. It is put into what is sent only, and
// taken out of the answer, so that names and quotations are spelled as in the
// document.

// breaker is INVISIBLE SEPARATOR: no control token contains it, and hardly any
// text does.
const breaker = "\u2063"

// controlTokens matches the control tokens of the common chat templates and what
// looks like one. The breaker goes behind the group.
var controlTokens = regexp.MustCompile(strings.Join([]string{
	`(<)/?[|｜]`,                         // <|im_start|>, <|eot_id|>, <｜User｜>
	`([|｜])>`,                           // <turn|>
	`(<)/?[A-Za-z]+(?:_[A-Za-z0-9]+)+>`, // <start_of_turn>, <BOS_TOKEN>, </tool_call>
	`(<)/?(?i:` + angled + `)>`,         // </s>, <bos>
	`(<)</?SYS>>`,
	`(\[)(?:/?[A-Z_]{2,}|[gs]MASK|control_\d+)\]`, // [INST], [/TOOL_CALLS]
	`(?i:` + speaker + `)`,                        // Human:, ### Instruction:
}, "|"))

// speakerFirst matches the one of them that needs no bracket: what is no token
// elsewhere, but begins a message on a line of its own.
var speakerFirst = regexp.MustCompile(`(?i)` + speaker)

const (
	angled   = `s|bos|eos|unk|pad|mask|sep|cls|sop|eop|eod|think|thinking|tools|image|audio|video|unused\d+`
	speakers = "human|assistant|system|user|instruction|response"
	speaker  = `^[\t >#*]*(` + speakers + `) ?:`
)

// WithoutControlTokens returns the request with the control tokens in its messages
// broken.
func (r Request) WithoutControlTokens() Request {
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		m.Text, m.ToolCalls = breakTokens(m.Text), slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Arguments = breakTokens(m.ToolCalls[j].Arguments)
		}
		r.Messages[i] = m
	}
	return r
}

// WithControlTokens returns a text, or a piece, of an answer in which what
// WithoutControlTokens broke is whole.
func WithControlTokens(text string) string { return mender.Replace(text) }

var mender = strings.NewReplacer(breaker, "", `\u2063`, "") // as it is, and as JSON may write it

// breakTokens goes line by line, as no token has a line break in it: few lines hold
// any of the characters that one needs.
func breakTokens(text string) string {
	var b strings.Builder
	last, start := 0, 0
	for line := range strings.Lines(text) {
		tokens := speakerFirst
		if strings.ContainsAny(line, "<|｜[") {
			tokens = controlTokens
		} else if !strings.Contains(line, ":") {
			start += len(line)
			continue
		}
		for _, match := range tokens.FindAllStringSubmatchIndex(line, -1) {
			end := start + slices.Max(match[2:]) // of the only group that matched
			b.WriteString(text[last:end])
			b.WriteString(breaker)
			last = end
		}
		start += len(line)
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}
