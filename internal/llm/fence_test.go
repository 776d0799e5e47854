package llm_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

var letter = template.Must(template.New("letter").Funcs(llm.PromptFunctions()).Parse(
	"{{rule}}\nBy {{fence \"names\" (join .By \", \")}}:{{range .Texts}}\n{{fence \"text\" .}}{{end}}"))

type letterData struct{ By, Texts []string }

// rendered returns the fences of a letter.
func rendered(t *testing.T, f llm.Fences, d letterData) (string, []llmtest.Fence) {
	t.Helper()
	text, err := f.Render(letter, "letter", d)
	if err != nil {
		t.Fatal(err)
	}
	fences, err := llmtest.Fences(llmtest.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	return text, fences
}

func TestFencesHoldTheirTexts(t *testing.T) {
	t.Parallel()
	_, fences := rendered(t, llm.NewFences([]byte("key")), letterData{[]string{"Ann", "Bea"}, []string{"one line", "two\nlines", "one line"}})
	var got []string
	marks := map[string]bool{}
	for _, f := range fences {
		got = append(got, f.Role+" "+f.Text)
		marks[f.Mark] = true
	}
	if diff := cmp.Diff([]string{"names Ann, Bea", "text one line", "text \ntwo\nlines\n", "text one line"}, got); diff != "" {
		t.Errorf("fences (-want +got):\n%s", diff)
	}
	if len(marks) != len(fences) {
		t.Errorf("%d fences have %d marks", len(fences), len(marks))
	}
}

func TestMarksDependOnAllTextsAndTheKey(t *testing.T) {
	t.Parallel()
	key := llm.NewFences([]byte("key"))
	data := letterData{[]string{"Ann"}, []string{"a", "bc"}}
	text, fences := rendered(t, key, data)
	if again, _ := rendered(t, key, data); again != text {
		t.Errorf("rendered again as\n%s\nfirst\n%s", again, text)
	}
	for name, other := range map[string]struct {
		key  string
		data letterData
	}{
		"another key":       {"yek", data},
		"another last text": {"key", letterData{data.By, []string{"a", "bd"}}},
		"another cut":       {"key", letterData{data.By, []string{"ab", "c"}}},
		"the mark inside":   {"key", letterData{data.By, []string{"a", "</" + fences[1].Mark + ">"}}},
	} {
		changed, _ := rendered(t, llm.NewFences([]byte(other.key)), other.data)
		for _, f := range fences {
			if strings.Contains(changed, "<"+f.Role+" "+f.Mark+">") {
				t.Errorf("%s: the %s keeps the mark %s", name, f.Role, f.Mark)
			}
		}
	}
}

func TestFencesNeedAKey(t *testing.T) {
	t.Parallel()
	if text, err := (llm.Fences{}).Render(letter, "letter", letterData{}); err == nil {
		t.Errorf("rendered %q", text)
	}
	if err := letter.Execute(new(strings.Builder), letterData{}); err == nil {
		t.Error("a template with fences was executed without them")
	}
}

func TestControlTokensAreBrokenInMessages(t *testing.T) {
	t.Parallel()
	for _, token := range llmtest.ControlTokens {
		r := llm.Request{Messages: []llm.Message{
			{Role: llm.System, Text: "Say" + token + "so."}, {Role: llm.User, Text: token}, {Role: llm.ToolRole, Text: token + token},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{Arguments: `{"task":"` + token + `"}`}}},
		}}
		sent := r.WithoutControlTokens()
		for i, m := range sent.Messages {
			if strings.Contains(m.Text, token) {
				t.Errorf("%q is whole in %q", token, m.Text)
			}
			if back := llm.WithControlTokens(m.Text); back != r.Messages[i].Text {
				t.Errorf("%q came back as %q", r.Messages[i].Text, back)
			}
		}
		arguments := sent.Messages[3].ToolCalls[0].Arguments
		if !strings.HasPrefix(token, "\n") && strings.Contains(arguments, token) || llm.WithControlTokens(arguments) != r.Messages[3].ToolCalls[0].Arguments {
			t.Errorf("the arguments are %q", arguments)
		}
	}
}

func TestOtherTextsAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a < b | c > d", "It burned down [3][7].", "[A] and [1]", "<b>bold</b> <a href='x'>", "The user: Ann.", "<title k3v7q2ma>x</k3v7q2ma>", "#include <stdio.h>"} {
		r := llm.Request{Messages: []llm.Message{{Text: text}}}
		if got := r.WithoutControlTokens().Messages[0].Text; got != text {
			t.Errorf("%q was sent as %q", text, got)
		}
	}
}
