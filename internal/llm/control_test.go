package llm_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

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
