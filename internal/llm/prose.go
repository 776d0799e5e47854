package llm

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Prose is a text for people that arrives in pieces. Some models wrap it: in a fence, in
// a JSON string, or in an object with one member. What may be wrapped is held back
// until it is whole. White space at the beginning is dropped.
type Prose struct {
	Words func(string)

	begun   bool
	pending string
}

// mostHeld bounds what is held back, in bytes.
const mostHeld = 64 << 10

// Write adds a piece of the text.
func (p *Prose) Write(piece string) {
	if p.begun {
		p.Words(piece)
		return
	}
	p.pending = strings.TrimLeft(p.pending+piece, " \t\r\n")
	if p.pending == "" || len(p.pending) < mostHeld && maybeWrapped(p.pending) {
		return
	}
	p.begun = true
	p.Words(p.pending)
}

// Close passes on the text held back.
func (p *Prose) Close() {
	if text := Unwrap(p.pending); !p.begun && text != "" {
		p.begun = true
		p.Words(text)
	}
}

var (
	proseFence   = regexp.MustCompile("(?s)^```[ \\t]*(?i:text|txt|markdown|md|plaintext|json)?[ \\t]*\\n(.*?)\\n?[ \\t]*```\\s*$")
	fenceBegins  = regexp.MustCompile("^`{1,3}$|(?s)^```[ \\t]*(?i:t|te|tex|text|tx|txt|m|ma|mar|mark|markd|markdo|markdow|markdown|md|p|pl|pla|plain\\w*|j|js|jso|json)?[ \\t]*(?:$|\\n)")
	quotedString = regexp.MustCompile(`(?s)^"(?:[^"\\]|\\.)*"?\\s*$`)
)

// maybeWrapped reports whether an unfinished text may turn out to be wrapped as a whole.
func maybeWrapped(text string) bool {
	switch text[0] {
	case '{':
		return true
	case '"':
		return quotedString.MatchString(text)
	case '`':
		if !fenceBegins.MatchString(text) {
			return false
		}
		_, after, ended := strings.Cut(text[min(3, len(text)):], "\n```")
		return !ended || strings.TrimSpace(after) == ""
	}
	return false
}

// proseNames are the members under which models write a text for people.
var proseNames = []string{"answer", "response", "final_answer", "text", "content", "summary", "output", "result"}

// Unwrap returns a text without what wraps it as a whole.
func Unwrap(text string) string {
	for range mostEncoded {
		text = strings.TrimSpace(text)
		if at := proseFence.FindStringSubmatch(text); at != nil && !strings.Contains(at[1], "```") {
			text = at[1]
		}
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			text = inner
			continue
		}
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &o) != nil {
			return text
		}
		found := false
		for _, name := range proseNames {
			if found = json.Unmarshal(o[name], &inner) == nil && inner != ""; found {
				break
			}
		}
		for _, only := range o {
			found = found || len(o) == 1 && json.Unmarshal(only, &inner) == nil && inner != ""
		}
		if !found {
			return text
		}
		text = inner
	}
	return text
}
