package answer

import (
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestReadGrade(t *testing.T) {
	t.Parallel()
	const silent = "the model gave no reason"
	for _, tt := range []struct {
		said    string
		verdict domain.Verdict // "" when it can't be read
		reason  string
	}{
		{`{"binary_score":"yes","reason":"names her"}`, domain.Relevant, "names her"},
		{`{"binary_score":"No","reason":""}`, domain.Irrelevant, silent},
		{`{"binary_score":true}`, domain.Relevant, silent},
		{`{"binary_score":0,"reason":"x"}`, domain.Irrelevant, "x"},
		{`{"score":"Ja","reason":"steht da"}`, domain.Relevant, "steht da"},
		{`{"binary_score":"não"}`, domain.Irrelevant, silent},
		{`{"binary_score":"nao"}`, domain.Irrelevant, silent},
		{`{"binary_score":"Sí"}`, domain.Relevant, silent},
		{`{"binary_score":"si"}`, domain.Relevant, silent},
		{`{"binary_score":"oui"}`, domain.Relevant, silent},
		{"```json\n{\"binary_score\": \"no\", \"reason\": \"other bridge\"}\n```", domain.Irrelevant, "other bridge"},
		{"Yes. It says so.", domain.Relevant, "It says so."},
		{"**No** – says nothing of it", domain.Irrelevant, "says nothing of it"},
		{"binary_score: yes\nreason", domain.Relevant, "reason"},
		{"NEIN", domain.Irrelevant, silent},
		{"true", domain.Relevant, silent},
		{"はい", "", ""}, // letters of this script are words of their own
		{"The passage is relevant.", domain.Relevant, "The passage is relevant."},
		{`It is relevant. Therefore, binary_score = "yes".`, domain.Relevant, `It is relevant. Therefore, binary_score = "yes".`},
		{"The score would be yes, but: score: no", domain.Irrelevant, "The score would be yes, but: score: no"},
		{"The passage does not answer; yes it names a ship but no.", domain.Irrelevant, "The passage does not answer; yes it names a ship but no."},
		{"This is not relevant to it.", domain.Irrelevant, "This is not relevant to it."},
		{"It is not irrelevant.", domain.Relevant, "It is not irrelevant."},
		{"So my answer is yes.", domain.Relevant, "So my answer is yes."},
		{"It is relevant in part, but does not answer it.", "", ""},
		{"It names a ship.", "", ""},
		{`"{\"binary_score\": \"yes\", \"reason\": \"names her\"}"`, domain.Relevant, "names her"},
		{"{'binary_score': 'no', 'reason': None}", domain.Irrelevant, silent},
		{`{"binary_score":"maybe","reason":"yes"}`, "", ""},
		{`{"binary_score":`, "", ""},
		{`{"binary_score":"ye`, "", ""},
		{`{"binary_score": "yes", "reason": "names her, names her, names`, domain.Relevant, "names her, names her, names"},
		{"{\n  \"binary_score\": \"no\"", domain.Irrelevant, silent},
		{"", "", ""},
	} {
		g, ok := parseGrade(tt.said)
		if ok != (tt.verdict != "") || ok && (g.Verdict != tt.verdict || g.Reason != tt.reason) {
			t.Errorf("parseGrade(%q) = %+v, %v", tt.said, g, ok)
		}
	}
}

func TestReadNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said string
		want []int
		ok   bool
	}{
		{`{"supported":[1,3]}`, []int{1, 3}, true},
		{`{"supported":["2"]}`, []int{2}, true},
		{`{"supported":[]}`, nil, true},
		{`{"supported":[9, -1]}`, []int{1}, true}, // of two there are three at most
		{"1, 2", []int{1, 2}, true},
		{"None.", nil, true},
		{"all of them", nil, false},
		{`{"numbers":[1]}`, nil, false},
	} {
		got, ok := parseNumbers(tt.said, "supported", 3)
		if !slices.Equal(got, tt.want) || ok != tt.ok {
			t.Errorf("parseNumbers(%q) = %v, %v", tt.said, got, ok)
		}
	}
}

func TestReadQuery(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`{"query":"mason of Weir Bridge"}`:         "mason of Weir Bridge",
		"\"mason of Weir Bridge\"\nThis is better": "mason of Weir Bridge",
		"```json\n{\"query\": \"mason\"}\n```":     "mason",
		"\"{\\\"query\\\": \\\"mason\\\"}\"":       "mason",
		`{"other":"x"}`:                            "",
		"":                                         "",
	} {
		if got := parseQuery(said); got != want {
			t.Errorf("parseQuery(%q) = %q, want %q", said, got, want)
		}
	}
}
