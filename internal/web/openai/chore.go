package openai

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// Patterns of the requests that chat programs send beside a question.
var (
	// taskHead begins a request of Open WebUI.
	taskHead = regexp.MustCompile(`^\s*###\s*Task:`)

	// titleWanted is the first line of a request for a title in other programs, valid only if it quotes a turn.
	titleWanted = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:provide|generate|write|create|give|suggest|detect|based on)\b[^\n]{0,200}\b(?:title\b|(?:conversation|chat)\b[^\n]*\b(?:name|topic)\b|(?:name|topic)\b[^\n]*\b(?:conversation|chat)\b)`)

	// userTurn is a user's turn in the history that a request quotes.
	userTurn = regexp.MustCompile(`(?mi)^\s*(?:\|\|>)?(?:user|human):[ \t]*\n?[ \t]*"?([^"\n]+)`)

	// quoted begins that history.
	quoted = regexp.MustCompile(`(?mi)^(?:###\s*chat history|<chat_history>|<text>|\s*conversation:|\s*(?:\|\|>)?(?:user|human):)`)

	// names are runs of words with capital letters.
	names = regexp.MustCompile(`\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*)*`)
)

// Limits on the answer to a chore.
const (
	maxTitle = 60 // code points
	maxNames = 3
)

// chore answers a request that chat programs send beside a question: for a title, tags, further questions, words to
// search for, or the rest of a sentence. It is not a question to the library, so it is answered by rule from what it
// quotes.
func chore(text string) (string, bool) {
	task, history := text, ""
	if at := quoted.FindStringIndex(text); at != nil {
		task, history = text[:at[0]], text[at[0]:]
	}
	said := turns(history)
	isTask := taskHead.MatchString(text)
	if !isTask && (len(said) == 0 || !titleWanted.MatchString(task)) {
		return "", false
	}
	task = strings.ToLower(task + afterHistory(history))
	if !isTask {
		return inForm(task, "title", titleOf(said)), true
	}
	switch {
	case asksFor(task, "follow_ups", "follow-up", "follow up"):
		return inForm(task, "follow_ups", further(said)), true
	case asksFor(task, "queries", "search quer"):
		return inForm(task, "queries", said[max(0, len(said)-1):]), true
	case asksFor(task, "tags", " tags"):
		return inForm(task, "tags", tagsOf(said)), true
	case asksFor(task, "title", "title"):
		return inForm(task, "title", titleOf(said)), true
	case asksFor(task, "text", "autocomplet"):
		return inForm(task, "text", ""), true
	case asksFor(task, "prompt", "image"):
		return inForm(task, "prompt", titleOf(said)), true
	}
	return inForm(task, "text", ""), true
}

// afterHistory returns the text of a request below the history that it quotes.
func afterHistory(history string) string {
	_, after, _ := strings.Cut(history, "</chat_history>")
	return after
}

// asksFor reports whether a task names a key of JSON or, failing that, has a word in its first lines.
func asksFor(task, key string, words ...string) bool {
	if strings.Contains(task, `"`+key+`"`) {
		return true
	}
	if strings.Contains(task, "json") { // it contains the key of another task
		return false
	}
	first := domain.Cut(task, 400)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(first, w) })
}

// inForm returns a value as JSON if the task wants that, else as text.
func inForm(task, key string, value any) string {
	if text, ok := value.(string); ok && !strings.Contains(task, "json") {
		return text
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{key: value}) // of strings
	return strings.TrimSpace(b.String())
}

// turns returns the user's turns.
func turns(history string) []string {
	return lists.Map(userTurn.FindAllStringSubmatch(history, -1), func(m []string) string { return domain.OneLine(m[1]) })
}

// titleOf returns the first question of a conversation, as its title.
func titleOf(said []string) string {
	if len(said) == 0 {
		return "Conversation"
	}
	return domain.Cut(said[0], maxTitle)
}

// namesIn returns the names that a user mentions, the first ones.
func namesIn(said []string) []string {
	found := []string{}
	for _, text := range said {
		for _, at := range names.FindAllStringIndex(text, -1) {
			name := text[at[0]:at[1]]
			if at[0] == 0 { // the first word of a sentence is capitalised anyway
				_, name, _ = strings.Cut(name, " ")
			}
			if name != "" && len(found) < maxNames && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// tagsOf returns tags for a conversation.
func tagsOf(said []string) []string {
	if found := namesIn(said); len(found) > 0 {
		return found
	}
	return []string{"General"}
}

// further returns questions that may follow.
func further(said []string) []string {
	list := namesIn(said)
	for i, name := range list {
		list[i] = "What else is known of " + name + "?"
	}
	return list
}
