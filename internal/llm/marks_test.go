package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

// marked returns a text in which what the filter takes for marks is written as {1,2}.
func marked(text string, most, size int) string {
	var b strings.Builder
	f := llm.MarkFilter{Most: most, Words: func(s string) { b.WriteString(s) }, Cite: func(n []int) { fmt.Fprint(&b, "{", strings.Trim(fmt.Sprint(n), "[]"), "}") }}
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		f.Write(rest[:n])
		rest = rest[n:]
	}
	f.Close()
	return b.String()
}

func TestMarksOfEveryHabit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"She sails [1].":                           "She sails{1}.",
		"She sails[1][2].":                         "She sails{1}{2}.",
		"She sails [1, 2].":                        "She sails{1 2}.",
		"She sails [1;2].":                         "She sails{1 2}.",
		"She sails [1 and 2].":                     "She sails{1 2}.",
		"She sails [[1]].":                         "She sails{1}.",
		"She sails 【1】.":                           "She sails{1}.",
		"She sails【1†source】.":                     "She sails{1}.",
		"She sails [1†L3-L5].":                     "She sails{1}.",
		"She sails 【3:0†a.txt】.":                   "She sails{3}.",
		"She sails［1］。":                            "She sails{1}。",
		"She sails [Passage 1].":                   "She sails{1}.",
		"She sails [passage 1, passage 3].":        "She sails{1 3}.",
		"She sails [Source 1].":                    "She sails{1}.",
		"She sails [Doc 1].":                       "She sails{1}.",
		"She sails [Source: 2].":                   "She sails{2}.",
		"She sails (Passage 2).":                   "She sails{2}.",
		"She sails (Source 2) and rows.":           "She sails{2} and rows.",
		"She sails [^1].":                          "She sails{1}.",
		"She sails¹.":                              "She sails{1}.",
		"She sails.¹ He rows.²":                    "She sails.{1} He rows.{2}",
		"She sails¹².":                             "She sails{1 2}.",
		"She sails [¹].":                           "She sails{1}.",
		"She sails <sup>1</sup>.":                  "She sails{1}.",
		"She sails <sup>[1]</sup>.":                "She sails{1}.",
		"She sails [1-3].":                         "She sails{1 2 3}.",
		"She sails [1–3].":                         "She sails{1 2 3}.",
		"She sails (1).":                           "She sails{1}.",
		"She sails. (1)":                           "She sails.{1}",
		"She sails. (1)\nHe rows. (2)":             "She sails.{1}\nHe rows.{2}",
		"She sails (1, 2).":                        "She sails{1 2}.",
		`She sails \[1\].`:                         "She sails{1}.",
		"She sails [1](http://evil.example/?q=1).": "She sails{1}.",
		"She sails [1] (in 1931).":                 "She sails{1} (in 1931).",
		"She sails [1, 9].":                        "She sails{1}.",
		// What is no citation.
		"She sails [7].":                         "She sails.",
		"It stood [1931] long.":                  "It stood [1931] long.",
		"It stood [1931-1935] long.":             "It stood [1931-1935] long.",
		"It stood (1931).":                       "It stood (1931).",
		"She sails [^7].":                        "She sails [^7].",
		"She sails⁷.":                            "She sails⁷.",
		"She sails (7).":                         "She sails (7).",
		"(1) first, (2) second":                  "(1) first, (2) second",
		"Two things. (2) He rows.":               "Two things. (2) He rows.",
		"(1) First.\n(2) Second.":                "(1) First.\n(2) Second.",
		"Take `items[1]` and x[1] = 3.":          "Take `items[1]` and x[1] = 3.",
		"```\na[1]\n``` So [1].":                 "```\na[1]\n``` So{1}.",
		"Call rows[2].name now.":                 "Call rows[2].name now.",
		"It holds 5 × 10² litres on 3 m² of it.": "It holds 5 × 10² litres on 3 m² of it.",
		"E = mc² and x³ are old.":                "E = mc² and x³ are old.",
		"[^1]: A note.":                          "[^1]: A note.",
		"[x] and [ and ] and (so) [1 2 b] <b>":   "[x] and [ and ] and (so) [1 2 b] <b>",
		"See [Passage] and [Source]":             "See [Passage] and [Source]",
		"Open [":                                 "Open [",
	} {
		for size := len(text) + 1; size > 0; size-- {
			if got := marked(text, 3, size); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
				break
			}
		}
	}
}
