package answer_test

import (
	"context"
	"os"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// reply returns a reply of the folder beside the project.
func reply(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../../shared/data/field/replies/" + name)
	if os.IsNotExist(err) {
		t.Skip("left out: no ../shared beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var pilot = answertest.Of("The pilot Ada Moen sails the Lark from Vik to Orsen each morning. She was born in 1890.")

func TestFieldRepliesOfWriters(t *testing.T) {
	t.Parallel()
	const sails = "Ada Moen sails the Lark^." // with its citation
	for name, want := range map[string]struct {
		text  string
		cited int
	}{
		"w_think": {sails, 1}, "w_thinkclose": {sails, 1}, "w_thinkattr": {sails, 1}, "w_seed": {sails, 1}, "w_harmony": {sails, 1}, "w_gemma": {sails, 1},
		"w_oai": {sails, 1}, "w_sup": {sails, 1}, "w_multi": {sails, 1}, "w_dbl": {sails, 1}, "w_fence": {sails, 1}, "w_json": {sails, 1}, "w_bad": {"Ada Moen sails the Lark.", 0},
		"w_link": {sails[:len(sails)-1] + " ![x](http://evil.example/p.png).", 1}, "w_onlythink": {"", 0}, "w_toolcall": {"", 0},
		"w_cut": {"Ada Moen sails the Lark^. She was born in 1890 and then she moved to the", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.Say(reply(t, name)))
			var n notes
			_, err := rolesOver(t, s, llm.ModePrompt).Writer.Write(context.Background(), answer.WriteRequest{Asked: asked, Passages: pilot.All}, &n, new(heard).emit)
			if err != nil || n.text != want.text || len(n.cited) != want.cited {
				t.Errorf("wrote %q with %d citations, %v; want %q with %d", n.text, len(n.cited), err, want.text, want.cited)
			}
		})
	}
}

func TestAWriterSaysHowItsTextEnded(t *testing.T) {
	t.Parallel()
	for stop, want := range map[string]string{
		"length": "The model's answer was cut off at its limit of tokens.", "content_filter": "The content filter of the model's server stopped the answer.",
		"refusal": "The model refused to answer.", "stop": "",
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("Ada Moen sails [1].").Ending(stop))
		turn, err := rolesOver(t, s, llm.ModePrompt).Writer.Write(context.Background(), answer.WriteRequest{Asked: asked, Passages: pilot.All}, new(notes), new(heard).emit)
		if err != nil || turn.Cut != want {
			t.Errorf("%s: %q, %v", stop, turn.Cut, err)
		}
	}
}

func TestFieldRepliesOfGraders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]domain.Verdict{
		"g_Bold": domain.Relevant, "g_Cap": domain.Relevant, "g_bool": domain.Relevant, "g_bs": domain.Relevant, "g_fence": domain.Relevant, "g_ja": domain.Relevant,
		"g_no": domain.Irrelevant, "g_notrel": domain.Irrelevant, "g_num": domain.Relevant, "g_rel": domain.Relevant, "g_score": domain.Relevant,
		"g_sent": domain.Relevant, "g_think": domain.Relevant, "g_yes": domain.Relevant, "w_thinkclose": domain.Ungraded,
	} {
		for _, mode := range []llm.Mode{llm.ModeTool, llm.ModeSchema, llm.ModePrompt} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				t.Parallel()
				s := llmtest.New(t)
				s.On(llmtest.Any, llmtest.Say(reply(t, name)))
				g, err := rolesOver(t, s, mode).Grader.Grade(context.Background(), answer.GradeRequest{Asked: asked, Passage: pilot.All[0], Candidates: pilot.All}, new(heard).emit)
				if err != nil || g.Verdict != want {
					t.Errorf("%+v, %v; want %s", g, err, want)
				}
			})
		}
	}
}
