package llm

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTokensAreBrokenLineByLine compares with a search of the whole text by one
// expression.
func TestTokensAreBrokenLineByLine(t *testing.T) {
	t.Parallel()
	whole := regexp.MustCompile(`(?m)` + strings.TrimPrefix(controlToken.String(), "^") + `|(?i:^[\t >#*]*(` + strings.Join(speakers, "|") + `) ?:)`)
	pieces := []string{"<|im_start|>", "<｜User｜>", "</s>", "<BOS_TOKEN>", "<<SYS>>", "[INST]", "[gMASK]", "Human:", "### Instruction :", "  user:", "assistant", ":", " ", "\n", "\r\n", "<", "|>", "[", "a\t", "ü", "human", " ", "SyſTem",
		"</", "_a", "x:", "Think", "reaſoning", " x>", ">", "unused", "7", "title", "s", "[1]", "[sMASK]", "/", "control_", "]", "◁/think▷"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		var want strings.Builder
		last := 0
		for _, match := range whole.FindAllStringSubmatchIndex(text, -1) {
			end := slices.Max(match[2:])
			want.WriteString(text[last:end] + breaker)
			last = end
		}
		want.WriteString(text[last:])
		if got := breakTokens(text); got != want.String() {
			t.Errorf("%q became %q, want %q", text, got, want.String())
		}
	})
}
