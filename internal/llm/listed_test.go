package llm_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

func TestWhatAServerListsIsSaidInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		l    llm.Listed
		ok   bool
		says string
	}{
		{llm.Listed{}, true, "does not report the context length"},
		{llm.Listed{Context: 4096}, false, "context length is 4,096 tokens, but long prompts"},
		{llm.Listed{Context: 32768}, true, "context length is 32,768 tokens, enough"},
		{llm.Listed{Context: 40960, Cuts: true}, true, "OLLAMA_CONTEXT_LENGTH=16384"},
	} {
		if c := llm.CheckContext(tt.l); c.OK != tt.ok || !strings.Contains(c.Sentence, tt.says) || c.Fatal() {
			t.Errorf("%+v: %+v", tt.l, c)
		}
	}
	all := []llm.Listed{{Name: "a"}, {Name: "b:latest"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}}
	for _, known := range []string{"a", "b"} {
		if c, other := llm.CheckListed(all, known); other {
			t.Errorf("%s: %+v", known, c)
		}
	}
	if c, other := llm.CheckListed(all, "z"); !other || c.Sentence != "The server does not list z. It has a, b:latest, c, d, e and 2 more." || !c.Fatal() {
		t.Errorf("%+v", c)
	}
	if c, other := llm.CheckListed(nil, "z"); other {
		t.Errorf("a server without a list: %+v", c)
	}
}
