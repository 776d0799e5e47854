package prompts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prompts"
)

// store keeps changes of one workspace in memory.
type store []domain.PromptVersion

func (s *store) PromptHead(context.Context, domain.WorkspaceID) (int, error) { return len(*s), nil }

func (s *store) PromptAt(_ context.Context, _ domain.WorkspaceID, role string, number int) (domain.PromptVersion, error) {
	for _, v := range slices.Backward((*s)[:number]) {
		if v.Role == role {
			return v, nil
		}
	}
	return domain.PromptVersion{}, nil
}

func (s *store) CurrentPrompts(context.Context, domain.WorkspaceID) (all []domain.PromptVersion, _ error) {
	return *s, nil
}

func (s *store) PromptVersions(_ context.Context, _ domain.WorkspaceID, role string) (all []domain.PromptVersion, _ error) {
	for _, v := range slices.Backward(*s) {
		if v.Role == role {
			all = append(all, v)
		}
	}
	return all, nil
}

func (s *store) AddPrompt(_ context.Context, _ domain.WorkspaceID, v domain.PromptVersion, _ int) (domain.PromptVersion, error) {
	v.Number = len(*s) + 1
	*s = append(*s, v)
	return v, nil
}

func TestWrongPromptsAreRefused(t *testing.T) {
	t.Parallel()
	system := `{{define "system"}}Write.{{end}}`
	user := func(text string) string {
		return system + `{{define "user"}}` + text + `{{range .Texts}}{{.}}{{end}}{{range .Lines}}{{.Number}}{{end}}{{end}}`
	}
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"no text":               {" \r\n", []string{"empty", "reset"}},
		"no template":           {user("{{if}}"), []string{"not a valid template", "letter:1"}},
		"an unknown variable":   {user("{{.Passage}}"), []string{"{{.Passage}}", ".By, .Texts, .Short, .Lines, .Own", "user"}},
		"unknown in a list":     {user("{{range .Lines}}{{.By}}{{end}}"), []string{"{{.By}}", ".Number, .Text"}},
		"unknown behind $":      {user("{{range .Lines}}{{$.Number}}{{end}}"), []string{"{{.Number}}", ".By"}},
		"a field of a text":     {user("{{.By.Name}}"), []string{".Name", "that is a text"}},
		"a method":              {user("{{range .Lines}}{{.String}}{{end}}"), []string{"{{.String}}"}},
		"a needed variable":     {system + `{{define "user"}}{{.By}}{{range .Lines}}{{.Number}}{{end}}{{end}}`, []string{"lacks {{.Texts}}", "what to say"}},
		"needed in a list":      {system + `{{define "user"}}{{range .Texts}}{{.}}{{end}}{{end}}`, []string{"{{.Number}} within {{range .Lines}}"}},
		"needed, only at times": {system + `{{define "user"}}{{if .Short}}{{range .Texts}}{{.}}{{end}}{{end}}{{range .Lines}}{{.Number}}{{end}}{{end}}`, []string{"lacks {{.Texts}}"}},
		"another function":      {user(`{{printf "%999999999d" 1}}`), []string{"calls printf", "join, json, rule"}},
		"call":                  {user(`{{call .By}}`), []string{"calls call"}},
		"index":                 {user(`{{index .Texts 0}}`), []string{"calls index"}},
		"slice":                 {user(`{{slice .By 1}}`), []string{"calls slice"}},
		"html":                  {user(`{{.By | html}}`), []string{"calls html"}},
		"a loop over a number":  {user(`{{range 1000000000}}{{end}}`), []string{"not a list"}},
		"a loop over a count":   {user(`{{$n := 1000000000}}{{range $n}}{{end}}`), []string{"not a list"}},
		"loops in loops":        {user(`{{range .Texts}}{{range $.Texts}}{{range $.Texts}}{{range $.Texts}}x{{end}}{{end}}{{end}}{{end}}`), []string{"more than 3 loops"}},
		"itself":                {user(`{{template "user" .}}`), []string{"can't do"}},
		"a block":               {user(`{{block "user2" .}}x{{end}}`), []string{`"user2"`, "system, user"}},
		"another part":          {user("") + `{{define "more"}}x{{end}}`, []string{`"more"`, "system, user"}},
		"a part missing":        {system, []string{`{{define "user"}}`}},
		"text outside":          {user("") + "Hello", []string{"outside its parts"}},
		"too long":              {user(strings.Repeat("x", 70_000)), []string{"65536"}},
		"delimiters":            {user("\uFDD0"), []string{"U+FDD0"}},
		"an argument too many":  {user(`{{join .Own ", "}}`), []string{"can't be filled in"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := &store{}
			book := prompts.New(kept, prompts.NewFences([]byte("key")), letter)
			_, err := book.Save(t.Context(), "w", domain.PromptVersion{Role: "letter", Text: tt.text}, 0)
			if kind := domain.KindOf(err); kind != domain.Invalid && kind != domain.TooLarge || len(*kept) > 0 {
				t.Fatalf("saved with %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
			if _, err := book.With("letter", tt.text); err == nil {
				t.Error("it may be tried out")
			}
		})
	}
}

// TestARunKeepsItsPrompts: a text belongs to a pin, whatever is saved later.
func TestARunKeepsItsPrompts(t *testing.T) {
	t.Parallel()
	book := prompts.New(&store{}, prompts.NewFences([]byte("key")), letter)
	text := func(n int) string { return strings.Replace(letter.Builtin, "By", fmt.Sprintf("Letter %d by", n), 1) }
	at := func(pin int) string {
		t.Helper()
		p, err := book.Text(t.Context(), "w", "letter", pin)
		if err != nil {
			t.Fatal(err)
		}
		said, err := p.Render("user", data("Ann"))
		if err != nil {
			t.Fatal(err)
		}
		if (p.Version == "1") != strings.HasPrefix(said, "By") {
			t.Errorf("%q has the version %s", said, p.Version)
		}
		return said[:len("Letter 1")]
	}
	save := func(text string) {
		t.Helper()
		if _, err := book.Save(t.Context(), "w", domain.PromptVersion{Role: "letter", Text: text}, 0); err != nil {
			t.Fatal(err)
		}
	}
	const builtin = "By <name"
	for pin, want := range []string{builtin, "Letter 1", "Letter 2", builtin} {
		if now, err := book.Pin(t.Context(), "w"); now != pin || err != nil {
			t.Fatalf("the pin is %d, %v, want %d", now, err, pin)
		}
		if got := at(pin); got != want {
			t.Errorf("at %d: %q, want %q", pin, got, want)
		}
		save([]string{text(1), text(2), letter.Builtin, strings.ReplaceAll(letter.Builtin, "\n", "\r\n")}[pin])
	}
	if got := at(1); got != "Letter 1" {
		t.Errorf("at the pin 1 later: %q", got)
	}
	all, err := book.Versions(t.Context(), "w", "letter")
	if err != nil || len(all) != 5 || all[4].Text != letter.Builtin || all[1].Text != letter.Builtin || all[0].Text != letter.Builtin {
		t.Errorf("versions: %v, %v", all, err)
	}
	if v, err := book.Version(t.Context(), "w", "letter", 9); domain.KindOf(err) != domain.NotFound {
		t.Errorf("version 9: %v, %v", v, err)
	}
}

// TestATextThatNoLongerFitsSaysSo: the program's variables may change under it.
func TestATextThatNoLongerFitsSaysSo(t *testing.T) {
	t.Parallel()
	kept := &store{{Number: 1, Role: "letter", Text: `{{define "system"}}{{end}}{{define "user"}}{{.Old}}{{end}}`}}
	_, err := prompts.New(kept, prompts.NewFences([]byte("key")), letter).Text(t.Context(), "w", "letter", 1)
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "reset it") || !strings.Contains(err.Error(), ".Old") {
		t.Errorf("%v", err)
	}
}

func TestVariablesAreListed(t *testing.T) {
	t.Parallel()
	var got []string
	for _, v := range letter.Parts[1].Variables() {
		got = append(got, fmt.Sprintf("%s %t %t %t", v.Path, v.Needed, v.Outside, v.List))
	}
	want := []string{".By false true false", ".Texts true true true", ".Short false false false", ".Lines false false true", ".Lines.Number true false false", ".Lines.Text false true false", ".Own false false false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
