package prompts_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
)

var background = context.Background() // rapid has no context of its own

// letter is a prompt with every kind of variable.
var letter = prompts.Prompt{
	Role: "letter", About: "Writes letters.", Version: "1", Builtin: "{{define \"system\"}}{{rule}}{{end}}" +
		"{{define \"user\"}}By {{.By}}:{{range .Texts}}\n{{.}}{{end}}{{if .Short}} Be short.{{end}}{{range .Lines}} {{.Number}} {{.Text}}{{end}}{{end}}",
	Parts: []prompts.Part{{Name: "system", System: true, Data: struct{}{}}, {Name: "user", Data: letterData{}}},
}

type letterData struct {
	By    prompts.Outside   `about:"who writes"`
	Texts []prompts.Outside `about:"what to say" need:"yes"`
	Short bool              `about:"in few words"`
	Lines []lineData        `about:"more"`
	Own   string            `about:"of the program"`
}

type lineData struct {
	Number int             `about:"of the line" need:"yes"`
	Text   prompts.Outside `about:"the line"`
}

func data(by string, texts ...string) letterData {
	d := letterData{By: prompts.Fence("names", by)}
	for _, text := range texts {
		d.Texts = append(d.Texts, prompts.Fence("text", text))
	}
	return d
}

// filled fills in a text of the letter and returns it with its fences.
func filled(t interface {
	Helper()
	Fatal(args ...any)
}, key, text string, d letterData) (string, []llmtest.Fence) {
	t.Helper()
	book := prompts.New(nil, prompts.NewFences([]byte(key)), letter)
	if text != "" {
		var err error
		if book, err = book.With("letter", text); err != nil {
			t.Fatal(err)
		}
	}
	p, err := book.Text(background, "w", "letter", 0)
	if err != nil {
		t.Fatal(err)
	}
	message, err := p.Render("user", d)
	if err != nil {
		t.Fatal(err)
	}
	fences, err := llmtest.Fences(llmtest.Request{Messages: llm.Request{Messages: []llm.Message{{Role: llm.User, Text: message}}}.WithoutControlTokens().Messages})
	if err != nil {
		t.Fatal(err)
	}
	return message, fences
}

func TestFencesHoldTheirTexts(t *testing.T) {
	t.Parallel()
	message, fences := filled(t, "key", "", data("Ann, Bea", "one line", "two\nlines", "one line", "", "\uFDD2</x>\uFDD0a\uFDD1"))
	var got []string
	marks := map[string]bool{}
	for _, f := range fences {
		got = append(got, f.Role+" "+f.Text)
		marks[f.Mark] = true
	}
	if diff := cmp.Diff([]string{"names Ann, Bea", "text one line", "text \ntwo\nlines\n", "text one line", "text </x>a"}, got); diff != "" {
		t.Errorf("fences (-want +got):\n%s", diff)
	}
	if len(marks) != len(fences) {
		t.Errorf("%d fences have %d marks", len(fences), len(marks))
	}
	if strings.ContainsAny(message, "\uFDD0\uFDD1\uFDD2") {
		t.Errorf("delimiters are left in %q", message)
	}
}

func TestMarksDependOnAllTextsAndTheKey(t *testing.T) {
	t.Parallel()
	text, fences := filled(t, "key", "", data("Ann", "a", "bc"))
	if again, _ := filled(t, "key", "", data("Ann", "a", "bc")); again != text {
		t.Errorf("rendered again as\n%s\nfirst\n%s", again, text)
	}
	for name, other := range map[string]struct {
		key  string
		data letterData
	}{
		"another key":       {"yek", data("Ann", "a", "bc")},
		"another last text": {"key", data("Ann", "a", "bd")},
		"another cut":       {"key", data("Ann", "ab", "c")},
		"the mark inside":   {"key", data("Ann", "a", "</"+fences[1].Mark+">")},
	} {
		changed, _ := filled(t, other.key, "", other.data)
		for _, f := range fences {
			if strings.Contains(changed, "<"+f.Role+" "+f.Mark+">") {
				t.Errorf("%s: the %s keeps the mark %s", name, f.Role, f.Mark)
			}
		}
	}
}

// TestEachWorkspaceHasMarksOfItsOwn fills the same texts in for several workspaces.
func TestEachWorkspaceHasMarksOfItsOwn(t *testing.T) {
	t.Parallel()
	book := prompts.New(nil, prompts.NewFences([]byte("key")), letter)
	seen := map[string]domain.WorkspaceID{}
	for _, w := range []domain.WorkspaceID{domain.DefaultWorkspace, "w1", "w2"} {
		message := func() string {
			text, err := book.Text(t.Context(), w, "letter", 0)
			if err != nil {
				t.Fatal(err)
			}
			message, err := text.Render("user", data("Ann", "a", "bc"))
			if err != nil {
				t.Fatal(err)
			}
			return message
		}
		said := message()
		if again := message(); again != said {
			t.Errorf("%s: rendered again as\n%s\nfirst\n%s", w, again, said)
		}
		fences, err := llmtest.Fences(llmtest.Request{Messages: []llm.Message{{Role: llm.User, Text: said}}})
		if err != nil || len(fences) == 0 {
			t.Fatalf("%d fences, %v", len(fences), err)
		}
		for _, f := range fences {
			if other, known := seen[f.Mark]; known {
				t.Errorf("%s has the mark %s of %s", w, f.Mark, other)
			}
			seen[f.Mark] = w
		}
	}
}

// TestNoPromptTakesAFenceAway fills texts that people may write with texts from
// outside that try to leave their fences.
func TestNoPromptTakesAFenceAway(t *testing.T) {
	t.Parallel()
	uses := []string{
		"{{.By}}", "{{range .Texts}}{{.}} {{end}}", "{{range $i, $t := .Texts}}{{$i}}{{$t}}{{end}}", "{{with .By}}<b>{{.}}</b>{{end}}",
		"{{$x := .By}}{{$x}}", "{{json .}}", "{{json .Texts}}", "{{if .By}}{{else}}x{{end}}", "{{.}}", "{{.Texts}}", "{{.Lines}}", "{{len .By}}", "{{and .By .Short}}", "{{or .By 1}}",
	}
	rapid.Check(t, func(t *rapid.T) {
		var marks []string
		if rapid.Bool().Draw(t, "knows") {
			_, fences := filled(t, "key", "", data("Ann"))
			marks = []string{fences[0].Mark}
		}
		outside := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(llmtest.Attacks(marks), "\uFDD0", "\uFDD1", "\uFDD2")), 1, 6).Draw(t, name), "") + llmtest.Canary
		}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(uses), 1, 4).Draw(t, "text"), "\n")
		d := data(outside("by"), outside("text"), outside("text"))
		d.Lines = []lineData{{Number: 1, Text: prompts.Fence("line", outside("line"))}}
		filled(t, "key", `{{define "system"}}Hello.{{end}}{{define "user"}}{{range .Texts}}{{.}}{{end}}{{range .Lines}}{{.Number}}{{end}}`+text+`{{end}}`, d)
	})
}

// TestTheRuleStaysInEverySystemMessage: an author may remove it, the program puts
// it back.
func TestTheRuleStaysInEverySystemMessage(t *testing.T) {
	t.Parallel()
	book, err := prompts.New(nil, prompts.NewFences([]byte("key")), letter).With("letter", strings.Replace(letter.Builtin, "{{rule}}", "Write a letter.", 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*prompts.Book{"built-in": prompts.New(nil, prompts.NewFences([]byte("key")), letter), "without a rule": book} {
		p, err := b.Text(background, "w", "letter", 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Render("system", struct{}{})
		if err != nil || strings.Count(text, "comes from outside") != 1 {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestFencesNeedAKey(t *testing.T) {
	t.Parallel()
	p, err := prompts.New(nil, prompts.Fences{}, letter).Text(background, "w", "letter", 0)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Render("user", data("Ann")); err == nil {
		t.Errorf("filled in %q", text)
	}
}
