package llm_test

import (
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

func TestThoughtFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<think>hm, <b>Warsaw</b>?</think>\nIn Warsaw.": "In Warsaw.",
		"<thinking>a</thinking><think>b</think> Yes":    "Yes",
		"<thin ice>": "<thin ice>", "<thi": "<thi", " Hello  there ": "Hello  there ",
		"<think>never ends": "", "": "", "x <think>y</think>": "x <think>y</think>",
	} {
		for size := 1; size <= len(text)+1; size++ {
			var f llm.ThoughtFilter
			got := ""
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				got += f.Write(rest[:n])
				rest = rest[n:]
			}
			if got += f.Close(); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}
