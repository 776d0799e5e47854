package llm

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Servers write a conversation as one text, by the model's chat template, and many of them then
// recognise the template's control tokens anywhere: a document that quotes one would end its message
// and begin another. An invisible character within the token prevents that. It is added only to the
// text that is sent, and removed from the answer, so that names and quotations are spelled as in the
// document.

// breaker is INVISIBLE SEPARATOR: no control token contains it, and hardly any
// text does.
const breaker = "\u2063"

// controlToken matches, at the beginning of a text, a control token of the common chat
// templates and what looks like one. The breaker goes behind the group.
var controlToken = regexp.MustCompile("^(?:" + strings.Join([]string{
	`(<)/?[|｜]`,                         // <|im_start|>, <|eot_id|>, <｜User｜>
	`([|｜])>`,                           // <turn|>
	`(<)/?[A-Za-z]+(?:_[A-Za-z0-9]+)+>`, // <start_of_turn>, <BOS_TOKEN>, </tool_call>
	`(<)/?(?i:` + angled + `)>`,         // </s>, <bos>
	`(<)/?(?:[A-Za-z]+:)?(?i:` + thoughtNames + `)(?:\s[^<>]{0,80})?>`,
	`(◁)/?think▷`,
	`(<)</?SYS>>`,
	`(\[)(?:/?[A-Z_]{2,}|[gs]MASK|control_\d+)\]`, // [INST], [/TOOL_CALLS]
}, "|") + ")")

const angled = `s|bos|eos|unk|pad|mask|sep|cls|sop|eop|eod|tools|image|audio|video|unused\d+`

// bracket returns where the first character is that a control token can begin with, or -1.
func bracket(text string) int {
	for i := range len(text) {
		switch b := text[i]; {
		case b == '<', b == '|', b == '[',
			b == "｜"[0] && strings.HasPrefix(text[i:], "｜"),
			b == "◁"[0] && strings.HasPrefix(text[i:], "◁"):
			return i
		}
	}
	return -1
}

// speakers are ordinary words elsewhere, but begin a message on a line with a colon: "Human:", "### Instruction:".
var speakers = []string{"human", "assistant", "system", "user", "instruction", "response"}

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

// WithControlTokens restores the control tokens that WithoutControlTokens broke, in a text or a piece of one.
func WithControlTokens(text string) string {
	if !strings.Contains(text, breaker) && !strings.Contains(text, breakerInJSON) {
		return text
	}
	return mender.Replace(text)
}

// breakerInJSON is how JSON may write it.
const breakerInJSON = `\u2063`

var mender = strings.NewReplacer(breaker, "", breakerInJSON, "")

// breakTokens goes line by line, as no token has a line break in it, and looks only where
// a token may begin: texts are long, and tokens rare.
func breakTokens(text string) string {
	var b strings.Builder
	last, start := 0, 0
	cut := func(end int) {
		b.WriteString(text[last:end])
		b.WriteString(breaker)
		last = end
	}
	for line := range strings.Lines(text) {
		if end := speakerEnd(line); end > 0 {
			cut(start + end)
		}
		for next := 0; next < len(line); {
			at := bracket(line[next:])
			if at < 0 {
				break
			}
			at += next
			next = at + 1
			if !mayBe(line[at:]) {
				continue
			}
			if match := controlToken.FindStringSubmatchIndex(line[at:]); match != nil {
				cut(start + at + slices.Max(match[2:])) // the only group that matched
				next = at + match[1]
			}
		}
		start += len(line)
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}

// mayBe reports whether the bracket at the start of text can begin a control token. It is a quick test before the regular
// expression, which is slow to reject the fences around a document's words.
func mayBe(text string) bool {
	rest := strings.TrimPrefix(text[1:], "/")
	switch {
	case rest == "" || text[0] == '|':
		return strings.HasPrefix(rest, ">")
	case text[0] == '[':
		return 'A' <= rest[0] && rest[0] <= 'Z' || strings.IndexByte("_gsc", rest[0]) >= 0
	case text[0] == '<':
		name := word.FindString(rest)
		after := rest[len(name):]
		return after != "" && (after[0] >= utf8.RuneSelf || strings.IndexByte("|<_:", after[0]) >= 0 || element.MatchString(name))
	}
	return true
}

// word matches the beginning of a tag, and element a name in one that is a control token.
var word, element = regexp.MustCompile(`^[A-Za-z0-9]*`), regexp.MustCompile(`^(?i:` + angled + `|` + thoughtNames + `)$`)

// speakerEnd returns the end of the speaker's name at the beginning of a line, or 0.
func speakerEnd(line string) int {
	rest := strings.TrimLeft(line, "\t >#*")
	name, _, ok := strings.Cut(rest, ":")
	if name = strings.TrimSuffix(name, " "); !ok || !slices.ContainsFunc(speakers, func(s string) bool { return strings.EqualFold(s, name) }) {
		return 0
	}
	return len(line) - len(rest) + len(name)
}
