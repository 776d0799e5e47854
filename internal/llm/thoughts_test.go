package llm_test

import (
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

// inPieces filters a text that arrives in pieces of a size, as a reader sees it at
// the end.
func inPieces(f *llm.ThoughtFilter, text string, size int) string {
	shown := ""
	add := func(more string, anew bool) {
		if anew {
			shown = ""
		}
		shown += more
	}
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		add(f.Write(rest[:n]))
		rest = rest[n:]
	}
	add(f.Close())
	return shown
}

func TestThoughtFilter(t *testing.T) {
	t.Parallel()
	const answer = "Ada Moen sails the Lark [1]."
	for text, want := range map[string]string{
		"<think>hm, <b>Warsaw</b>?</think>\nIn Warsaw.": "In Warsaw.",
		"<thinking>a</thinking><think>b</think> Yes":    "Yes",
		"<thin ice>": "<thin ice>", "<thi": "<thi", " Hello  there ": "Hello  there ",
		"<think>never ends": "", "": "",
		"x <think>y</think>": "x ",
		"x <think>y":         "x <think>y",
		"Okay, the user asks. Passage [1] says it.\n</think>\n\n" + answer: answer,
		"hm</thinking>" + answer:                                 answer,
		"hm\n[/THINK]" + answer:                                  answer,
		"Hm ◁/think▷" + answer:                                   answer,
		"a</think>b</think>" + answer:                            answer,
		"<think>a</think>\n</think>\n" + answer:                  answer,
		"<Think>hm</Think>" + answer:                             answer,
		`<think type="deep">hm</think>` + answer:                 answer,
		"<seed:think>hm</seed:think>" + answer:                   answer,
		"<thought>hm</thought>" + answer:                         answer,
		"<reasoning effort=\"low\">a < b</reasoning>\n" + answer: answer,
		"<reflection>hm</reflection>" + answer:                   answer,
		"<think/>" + answer:                                      answer,
		"[THINK]Is it [1]?[/THINK]" + answer:                     answer,
		"◁think▷hm◁/think▷" + answer:                             answer,
		"<|begin_of_thought|>hm<|end_of_thought|>\n<|begin_of_solution|>" + answer + "<|end_of_solution|>":                                              answer,
		"<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>" + answer + "<|END_RESPONSE|>":                                                          answer,
		"<|channel|>analysis<|message|>We need to answer.<|end|><|start|>assistant<|channel|>final<|message|>" + answer:                                 answer,
		"<|channel|>analysis<|message|>We need.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>" + answer + "<|return|>":          answer,
		"<|start|>assistant<|channel|>analysis<|message|>One.<|end|><|start|>assistant<|channel|>analysis<|message|>Two.<|end|>" + "<|start|>assistant": "",
		"<|channel|>analysis<|message|>never ends":                                        "",
		"<|channel>thought\nhm\n<channel|>" + answer:                                      answer,
		"analysisWe need to answer.assistantfinal" + answer:                               answer,
		"analysis of the harbour":                                                         "analysis of the harbour",
		"Here is my thought process: hm. Here is my response: " + answer:                  answer,
		"Here is my thought.":                                                             "Here is my thought.",
		"The tag `</think>` ends a thought, `<think>` begins one.":                        "The tag `</think>` ends a thought, `<think>` begins one.",
		"a < b and [TH] and <i>c</i> and [1] ◁ ▷ <|x|>":                                   "a < b and [TH] and <i>c</i> and [1] ◁ ▷ <|x|>",
		`{"query":"<think>Who?</think>Ada Moen"}`:                                         `{"query":"Ada Moen"}`,
		`{"query":"Who \"sails\"? </think>Ada Moen"}`:                                     `{"query":"Ada Moen"}`,
		"<think>hm</think>\n```json\n{\"a\":1}\n```":                                      "```json\n{\"a\":1}\n```",
		"The text names {maybe}. So I list [them].\n</think>\n\n{\"a\":1}":                `{"a":1}`,
		"<tool_call>{\"name\":\"x\"}</tool_call>":                                         "<tool_call>{\"name\":\"x\"}</tool_call>",
		"<think>" + "long thoughts with <tags> and [marks] " + "</think><think>" + answer: "",
	} {
		if got := llm.WithoutThoughts(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for size := 1; size <= len(text)+1; size++ {
			if got := inPieces(&llm.ThoughtFilter{}, text, size); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
				break
			}
		}
	}
}

func TestCallsWrittenAsTextAreTakenOut(t *testing.T) {
	t.Parallel()
	const text = "So: <tool_call>\n{\"name\":\"chart\"}\n</tool_call> Done."
	for size := 1; size <= len(text); size++ {
		f := llm.ThoughtFilter{Calls: true}
		if got := inPieces(&f, text, size); got != "So:  Done." || len(f.ToolCalls()) != 1 || f.ToolCalls()[0] != "\n{\"name\":\"chart\"}\n" {
			t.Fatalf("in pieces of %d: %q, calls %q", size, got, f.ToolCalls())
		}
	}
}
