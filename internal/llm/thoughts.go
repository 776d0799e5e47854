package llm

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// thoughtNames are the elements in which models think before they answer.
const thoughtNames = `think|thinking|thoughts?|reasoning|reflection|scratchpad`

// What a tag in a model's text does.
const (
	opensThought = iota
	closesThought
	opensCall  // of a tool, written as text
	closesCall // also ends a thought
	opensChannel
	isSeam // between the parts of a reply: it is dropped, and ends a thought in a channel
)

// thoughtTags match at the beginning of a text what separates thoughts and calls of
// tools from the answer, in the habits of different models.
var thoughtTags = []struct {
	does    int
	pattern *regexp.Regexp
}{
	{isSeam, regexp.MustCompile(`^<(?i:think|thinking)\s*/>`)},
	{opensThought, regexp.MustCompile(`^<(?:[A-Za-z]+:)?(?i:` + thoughtNames + `)(?:\s[^<>]*)?>`)},
	{closesThought, regexp.MustCompile(`^</(?:[A-Za-z]+:)?(?i:` + thoughtNames + `)\s*>`)},
	{opensThought, regexp.MustCompile(`^(?:◁think▷|\[THINK\]|<[|｜](?i:begin_of_thought|start_thinking|think)[|｜]>|<unused94>(?:thought)?)`)},
	{closesThought, regexp.MustCompile(`^(?:◁/think▷|\[/THINK\]|<[|｜](?i:end_of_thought|end_thinking|/think)[|｜]>|<unused95>)`)},
	{isSeam, regexp.MustCompile(`^(?:<\|(?i:(?:begin|end)_of_solution|(?:start|end)_response)\|>)`)},
	{opensCall, regexp.MustCompile(`^<tool_call>`)},
	{closesCall, regexp.MustCompile(`^</tool_call>`)},
	{opensChannel, regexp.MustCompile(`^(?:<\|start\|>[A-Za-z]*\s*)?<\|channel\|?>\s*([A-Za-z]*)[^<\n]{0,100}(?:<\|constrain\|>[^<\n]{0,40})?(?:<\|message\|>|\n)`)},
	{isSeam, regexp.MustCompile(`^(?:<\|(?:end|return|call|message)\|>|<\|start\|>[A-Za-z]*|<channel\|>)`)},
}

// mostTag is the maximum length of a tag in bytes; anything longer is text.
const mostTag = 160

// tagAt returns the effect of the tag at the beginning of a text, and its length. open means that the text may become a
// tag with more input. The third result is the name of a channel.
func tagAt(text string) (does, length int, channel string, open bool) {
	for _, t := range thoughtTags {
		if at := t.pattern.FindStringSubmatchIndex(text); at != nil {
			if len(at) > 2 {
				channel = text[at[2]:at[3]]
			}
			open = t.does == isSeam && maybeHeader(text)
			return t.does, at[1], channel, open
		}
	}
	switch {
	case len(text) > mostTag, strings.ContainsAny(text[1:], "\n"):
	case text[0] == '[':
		open = begins(text, "[/THINK]", "[THINK]")
	case text[0] == '<':
		open = maybeHeader(text) || !strings.Contains(text, ">") && tagBegins.MatchString(text)
	default:
		open = begins(text, "◁/think▷", "◁think▷")
	}
	return 0, 0, "", open
}

// begins reports whether a text is the beginning of one of the tags.
func begins(text string, tags ...string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, text) })
}

// maybeHeader reports whether a text may become the header of a channel.
func maybeHeader(text string) bool {
	rest := text
	if at := turnBegins.FindString(text); at != "" {
		if rest = text[len(at):]; rest == "" {
			return true
		}
	}
	return len(text) < mostTag && (begins(rest, "<|channel|>") || strings.HasPrefix(rest, "<|channel>") || strings.HasPrefix(rest, "<|channel|>"))
}

var turnBegins = regexp.MustCompile(`^<\|start\|>[A-Za-z]*\s*`)

// tagBegins matches a possible beginning of a tag.
var tagBegins = regexp.MustCompile(`^<(?:/?[A-Za-z][A-Za-z_]*(?::[A-Za-z]*)?(?:\s[^<>]*)?/?|/|[|｜][A-Za-z_/]*[|｜]?|unused\d*|/?tool_call|channel\|?)?$`)

// untagged lists the phrases that enclose thoughts without tags: at the beginning, and before the answer.
var untagged = []struct{ begins, ends string }{
	{"analysis", "assistantfinal"},
	{"Here is my thought process:", "Here is my response:"},
}

// A ThoughtFilter drops the thoughts in a text that arrives in pieces, and the white
// space around those at the beginning. What comes before the end of a thought that
// never began is thought too. The end of one that never ends stays if text came
// before it.
type ThoughtFilter struct {
	Calls bool // tool calls written as text are removed

	whole   runes
	shown   string // of the answer so far
	pending string // may be part of a tag or a thought
	kept    string // an unfinished thought or call
	inside  int    // opensThought, opensCall or opensChannel; -1 in the answer
	began   bool
	calls   []string
}

// Write adds a piece of the text. It returns what can be shown of it, and whether what
// was shown before turned out to be thought: then the text begins anew.
func (f *ThoughtFilter) Write(piece string) (text string, anew bool) {
	f.pending += f.whole.add(piece)
	return f.run(false)
}

// Close ends the text, as Write.
func (f *ThoughtFilter) Close() (text string, anew bool) {
	f.pending += f.whole.rest
	f.whole.rest = ""
	return f.run(true)
}

// ToolCalls returns the contents of the calls of tools that were taken out.
func (f *ThoughtFilter) ToolCalls() []string { return f.calls }

func (f *ThoughtFilter) run(end bool) (string, bool) {
	if !f.began {
		f.began, f.inside = true, -1
	}
	before, anew := len(f.shown), false
	if f.shown == "" && f.inside < 0 && f.skipUntagged(end) {
		return "", false
	}
	for f.pending != "" {
		at := f.nextTag()
		f.take(f.pending[:at])
		if f.pending = f.pending[at:]; f.pending == "" {
			break
		}
		does, length, channel, open := tagAt(f.pending)
		if open && !end {
			break
		}
		if length == 0 || f.quoted() || (does == opensCall || does == closesCall && f.inside < 0) && !f.Calls {
			_, n := utf8.DecodeRuneInString(f.pending)
			f.take(f.pending[:max(n, min(length, len(f.pending)))])
			f.pending = f.pending[max(n, length):]
			continue
		}
		tag := f.pending[:length]
		f.pending = f.pending[length:]
		if f.follow(does, tag, channel) {
			before, anew = 0, true
		}
	}
	if end && f.inside >= 0 {
		f.leave()
	}
	return f.shown[min(before, len(f.shown)):], anew
}

// skipUntagged drops a thought without tags. It returns true while the text may be one.
func (f *ThoughtFilter) skipUntagged(end bool) bool {
	rest := strings.TrimLeft(f.pending, " \t\r\n")
	for _, u := range untagged {
		if !strings.HasPrefix(rest, u.begins) {
			if !end && strings.HasPrefix(u.begins, rest) {
				return true
			}
			continue
		}
		if after := rest[len(u.begins):]; after != "" && after[0] >= 'a' && after[0] <= 'z' || strings.HasPrefix(after, " ") && u.begins == "analysis" {
			continue
		}
		if _, answer, found := strings.Cut(rest, u.ends); found {
			f.pending = answer
		} else if !end {
			return true
		}
	}
	return false
}

// nextTag returns where a tag may begin in what is pending, its length if nowhere.
func (f *ThoughtFilter) nextTag() int {
	if at := strings.IndexAny(f.pending, "<[◁"); at >= 0 {
		return at
	}
	return len(f.pending)
}

// quoted reports whether the answer quotes the tag that comes.
func (f *ThoughtFilter) quoted() bool { return f.inside < 0 && strings.HasSuffix(f.shown, "`") }

// take adds text to the answer, or to the thought.
func (f *ThoughtFilter) take(text string) {
	if f.inside >= 0 {
		f.kept += text
		return
	}
	if f.shown == "" {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	f.shown += text
}

// follow carries out the effect of a tag, and reports whether the answer begins anew.
func (f *ThoughtFilter) follow(does int, tag, channel string) (anew bool) {
	switch does {
	case opensThought:
		if f.inside < 0 {
			f.inside, f.kept = opensThought, tag
		}
	case opensCall:
		f.inside, f.kept = opensCall, ""
	case closesCall:
		f.leave()
	case opensChannel:
		f.inside, f.kept = -1, ""
		if c := strings.ToLower(channel); c == "analysis" || c == "thought" || c == "thinking" {
			f.inside = opensChannel
		}
	case isSeam:
		if f.inside == opensChannel {
			f.inside, f.kept = -1, ""
		}
	case closesThought:
		if f.inside == opensThought {
			f.inside, f.kept = -1, ""
			return false
		}
		anew = f.shown != ""
		f.shown, f.inside, f.kept = stringBegins(f.shown), -1, ""
	}
	return anew
}

// leave ends what never ended: a call is taken, and a thought is text if something
// came before it.
func (f *ThoughtFilter) leave() {
	switch {
	case f.inside == opensCall:
		f.calls = append(f.calls, f.kept)
	case f.inside == opensThought && strings.TrimSpace(f.shown) != "":
		f.shown += f.kept
	}
	f.inside, f.kept = -1, ""
}

// stringBegins returns the text before an unfinished JSON string at the end of a text, with its quote, or "" if there
// is none: a thought may be inside a string.
func stringBegins(text string) string {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return ""
	}
	at := -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && at >= 0:
			i++
		case text[i] == '"' && at >= 0:
			at = -1
		case text[i] == '"':
			at = i
		}
	}
	return text[:at+1]
}

// WithoutThoughts returns a whole text without the thoughts in it.
func WithoutThoughts(text string) string {
	var f ThoughtFilter
	f.Write(text)
	f.Close()
	return f.shown
}

// runes holds back a character that a stream has cut.
type runes struct{ rest string }

// add returns the characters that are whole once a piece is added.
func (r *runes) add(piece string) string {
	text := r.rest + piece
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(text[len(text)-n:]) {
				end = len(text) - n
			}
			break
		}
	}
	r.rest = text[end:]
	return text[:end]
}
