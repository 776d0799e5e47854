package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// TestTheKeyIsNeverShown connects a model by the form, with and without script, and
// looks for the key on every page that answers.
func TestTheKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	const key = "sk-larkwhistle-55"
	form := func(change ...string) url.Values {
		f := url.Values{"role": {"answer"}, "server": {"vllm"}, "address": {"http://10.1.2.3:8000/v1"}, "key": {key}, "model": {"tiny"}}
		for i := 0; i < len(change); i += 2 {
			f.Set(change[i], change[i+1])
		}
		return f
	}
	script := []string{"HX-Request", "true"}
	for name, tt := range map[string]struct {
		got    reply
		status int
		says   string
	}{
		"the empty form":           {b.get(t, "/settings?role=answer"), 200, "Choose where the model runs"},
		"a chosen server":          {b.get(t, "/settings?role=answer&server=openai"), 200, "https://api.openai.com/v1"},
		"a role of the same":       {b.get(t, "/settings?role=grade"), 200, "The same server"},
		"embeddings":               {b.get(t, "/settings?role=embed&server=ollama"), 200, "nomic-embed-text"},
		"this machine":             {b.get(t, "/settings?role=embed&server=builtin"), 200, "nothing leaves this machine"},
		"this machine, tested":     {b.post(t, "/settings/model/test", url.Values{"role": {"embed"}, "server": {"builtin"}}), 200, "run clew model fetch"},
		"this machine, saved":      {b.post(t, "/settings/model", url.Values{"role": {"embed"}, "server": {"builtin"}}), 422, "run clew model fetch"},
		"a role that is none":      {b.get(t, "/settings?role=king&server=ollama"), 200, "qwen3:8b"},
		"a test":                   {b.post(t, "/settings/model/test", form()), 200, "The model tiny answers."},
		"a test by script":         {b.post(t, "/settings/model/test", form(), script...), 200, "The model tiny answers."},
		"a list":                   {b.post(t, "/settings/model/list", form()), 200, "1 model on the server."},
		"a list by script":         {b.post(t, "/settings/model/list", form(), script...), 200, `<option value="tiny">`},
		"no model":                 {b.post(t, "/settings/model", form("model", "")), 422, "Name the model"},
		"a test of no model":       {b.post(t, "/settings/model/test", form("model", ""), script...), 200, "Name the model"},
		"a list at no address":     {b.post(t, "/settings/model/list", form("address", "ftp://h"), script...), 200, "should look like"},
		"a key that is no key":     {b.post(t, "/settings/model", form("key", key+" "+key)), 422, "The key can&#39;t be right"},
		"a rate that is none":      {b.post(t, "/settings/model", form("per-minute", "many")), 422, "should be whole numbers"},
		"nothing to forget":        {b.post(t, "/settings/model/forget", form()), 404, "No model is connected"},
		"a server that asks a key": {b.post(t, "/settings/model", form("server", "openai", "key", "")), 422, "OpenAI asks for a key"},
	} {
		if tt.got.status != tt.status || !strings.Contains(tt.got.body, tt.says) || strings.Contains(tt.got.body, key) {
			t.Errorf("%s: status %d, want %d with %q and without the key: %s", name, tt.got.status, tt.status, tt.says, tt.got.main(t))
		}
	}
	if p := b.get(t, "/settings?role=embed&server=builtin"); strings.Contains(p.body, `name="address"`) || strings.Contains(p.body, `name="model"`) {
		t.Error("the model on this machine is asked for an address or a name")
	}
	if p := b.get(t, "/settings?role=grade"); strings.Contains(p.body, "This machine") {
		t.Error("grading is offered the model on this machine")
	}
	if p := b.post(t, "/settings/model", form("embed", "small", "per-minute", "60", "tokens-per-minute", "90000")); p.status != 303 {
		t.Fatalf("saving: status %d: %s", p.status, p.body)
	}
	for _, path := range []string{"/settings", "/settings?role=answer", "/settings?role=embed", "/settings?role=answer&server=openai"} {
		p := b.get(t, path)
		if p.status != 200 || strings.Contains(p.body, key) {
			t.Errorf("%s: status %d, or it shows the key", path, p.status)
		}
		if kept := strings.Contains(p.body, "A key is stored"); kept != !strings.Contains(path, "openai") && strings.Contains(path, "=") {
			t.Errorf("%s says that a key is kept: %t", path, kept)
		}
	}
	if p := b.get(t, "/settings"); !strings.Contains(p.main(t), "Answers and reading tiny at 10.1.2.3:8000 connected ") {
		t.Errorf("the page says %s", p.main(t))
	}
	if p := b.post(t, "/settings/model/forget", form()); p.status != 303 {
		t.Errorf("forgetting: status %d", p.status)
	}
}

// TestAProblemStandsAtItsField refuses forms, and looks for the sentence at the field that is to blame.
func TestAProblemStandsAtItsField(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	model := url.Values{"role": {"answer"}, "server": {"vllm"}, "address": {"ftp://h"}, "model": {"tiny"}}
	for name, tt := range map[string]struct {
		address string
		form    url.Values
		field   string // of the form
		says    string
	}{
		"an address":       {"/settings/model", model, `name="address"`, "The address should look like"},
		"a number":         {"/settings/set", url.Values{"open": {"MAX_LOOPS"}, "MAX_LOOPS": {"many"}}, `name="MAX_LOOPS"`, "should be a whole number"},
		"one of two":       {"/settings/set", url.Values{"open": {"scans"}, "OCR": {"off"}, "OCR_LANGUAGES": {"eng deu"}}, `name="OCR_LANGUAGES"`, "joined by a plus"},
		"of an open group": {"/settings/set", url.Values{"open": {"KEEP_RUNS"}, "KEEP_RUNS": {"-1"}}, `name="KEEP_RUNS"`, "should be 0 or more"},
	} {
		p := b.post(t, tt.address, tt.form)
		_, after, _ := strings.Cut(p.body, tt.field)
		field, after, _ := strings.Cut(after, ">")
		if p.status != 422 || !strings.Contains(field, `aria-invalid="true"`) || !strings.Contains(field, "-problem") || !strings.Contains(after[:min(len(after), 1200)], tt.says) {
			t.Errorf("%s: status %d, the field is %s, then %.1200s", name, p.status, field, after)
		}
	}
	values, err := b.settings.Book.Values(t.Context())
	testkit.Must(t, err)
	if len(values) > 0 {
		t.Errorf("a form that was refused has set %v", values)
	}
	if p := b.post(t, "/settings/set", url.Values{"open": {"PASSAGES"}, "PASSAGES": {"3"}}); p.status != 422 || !strings.Contains(p.body, "is set in the environment, which takes precedence") {
		t.Errorf("what the environment sets: status %d", p.status)
	}
	if p := b.post(t, "/settings/set", url.Values{"open": {"nothing"}, "NOTHING": {"3"}}); p.status != 404 {
		t.Errorf("a setting that is none: status %d", p.status)
	}
}

// TestASettingIsChangedAndPutBack changes two settings of a row, reads what is said, and takes it back.
func TestASettingIsChangedAndPutBack(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	p := b.post(t, "/settings/set", url.Values{"open": {"scans"}, "OCR": {"auto"}, "OCR_LANGUAGES": {"eng+deu"}, "OCR_PAGES": {"20"}})
	if at := p.header.Get("Location"); p.status != 303 || at != "/settings?closed=scans&changed=OCR_LANGUAGES&changed=OCR_PAGES" {
		t.Fatalf("saving: status %d, on to %s", p.status, at)
	}
	list := b.get(t, "/settings?changed=OCR_LANGUAGES&changed=OCR_PAGES&changed=PASSAGES&only=changed")
	for _, want := range []string{"is eng+deu set in page default eng Change", "is 9 set in environment default 8 fixed"} {
		if !strings.Contains(list.main(t), want) {
			t.Errorf("the page does not say %q: %s", want, list.main(t))
		}
	}
	if said := "OCR_LANGUAGES is now eng+deu; it was eng. OCR_PAGES is now 20; it was 500."; !strings.Contains(list.body, said) {
		t.Errorf("the page does not say %q", said)
	}
	if strings.Contains(list.body, "PASSAGES is now") || strings.Contains(list.main(t), "MAX_LOOPS") {
		t.Error("the page says more than what changed")
	}
	if p := b.post(t, "/settings/undo?setting=OCR_LANGUAGES&setting=OCR_PAGES", nil); p.status != 303 {
		t.Errorf("undoing: status %d", p.status)
	}
	values, err := b.settings.Book.Values(t.Context())
	testkit.Must(t, err)
	if values["OCR_PAGES"].Value != "" || values["OCR_LANGUAGES"].Value != "" {
		t.Errorf("after undoing, %+v is kept", values)
	}
	for address, want := range map[string]string{"/settings?q=words+bell": "No setting matches", "/settings?q=max+loops": "MAX_LOOPS", "/settings?open=KEEP_RUNS": `id="field-keep_runs"`, "/settings?open=LISTEN": "set it there and start Clew again"} {
		if p := b.get(t, address); p.status != 200 || !strings.Contains(p.body, want) {
			t.Errorf("%s: status %d, without %q", address, p.status, want)
		}
	}
}

// TestTheModeIsSaidOnce looks for the line about the missing model.
func TestTheModeIsSaidOnce(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	const line = "No model is configured."
	for path, want := range map[string]int{"/": 1, "/settings": 1, "/documents": 0, "/ask": 0, "/runs": 0, "/health": 0} {
		p := b.get(t, path)
		if got := strings.Count(p.body, line); got != want {
			t.Errorf("%s says it %d times, want %d", path, got, want)
		}
		if !strings.Contains(p.body, `class="modeline none"`) {
			t.Errorf("%s has no mark", path)
		}
	}
}
