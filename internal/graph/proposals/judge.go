package proposals

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/prompts"
)

//go:embed prompts/same.tmpl
var builtinText string

// PromptRole names the prompt.
const PromptRole = "same"

// Prompt returns the prompt that asks a model whether two entities are the
// same.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: PromptRole, About: "Decides whether two names stand for one thing.", Version: "1", Builtin: builtinText,
		Parts: prompts.Message(systemData{}, userData{}, "what is known of the two"),
	}
}

type systemData struct {
	Plain bool `about:"the model is asked in plain text, without a form, so the message must say how to answer"`
}

type userData struct {
	Sides []sideData `about:"the two entities"`
}

type sideData struct {
	Name     prompts.Outside   `about:"its name" need:"yes"`
	Label    prompts.Outside   `about:"its label"`
	Related  []prompts.Outside `about:"names of entities that it has relations with"`
	Passages []prompts.Outside `about:"passages that mention it" need:"yes"`
}

var form = llm.Form{Name: "decide", Description: "Takes the verdict on the two names.", Schema: json.RawMessage(
	`{"type":"object","properties":{"verdict":{"type":"string","enum":["same","different","unsure"]}},"required":["verdict"],"additionalProperties":false}`)}

// A Judge is a model that breaks ties: it is asked about the likeliest pairs
// between the two bars.
type Judge struct {
	Chat    llm.Chat     // the judge records its answers itself
	Fitness *llm.Fitness // of Chat
	Prompts *prompts.Book
	Most    int // pairs per comparison that it is asked about
}

// Limits on what a judge is shown of one side.
const (
	judgedPassages  = 2
	judgedRelations = 8
	judgedLength    = 1200 // runes of a passage
)

// judgeBits is the weight of a verdict: as much as five odds against one turned
// round, so that it decides between the bars, and not against strong evidence.
const judgeBits = 4

// A verdict is a model's answer. It is recorded without any other word of the
// answer, so that nothing of it has to be deleted with a document.
type verdict struct {
	Verdict string    `json:"verdict"`
	Model   string    `json:"model"`
	Usage   llm.Usage `json:"usage"`
}

// judge asks the model about the pairs between the bars, and adds its verdicts to the evidence for and against them.
func (s *Service) judge(ctx context.Context, w domain.WorkspaceID, l library, pairs []resolve.Pair, emit func(kind string, payload any)) error {
	var asked []int
	for i, p := range pairs {
		if len(asked) < s.Judge.Most && p.Score >= s.Bars.Propose && (p.Score < s.Bars.Merge || p.Vetoed) {
			asked = append(asked, i)
		}
	}
	pin, err := s.Judge.Prompts.Pin(ctx, w)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	slots := make(chan struct{}, 4)
	for done, i := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			said, err := s.verdict(ctx, w, pin, l, pairs[i], func(kind string, payload any) {
				mu.Lock()
				defer mu.Unlock()
				emit(kind, payload)
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				if failed == nil {
					failed = err
				}
				stop()
				return
			}
			emit(domain.EventProgress, domain.Progress{Done: done + 1, Total: len(asked)})
			pairs[i].Hear(said.evidence())
		})
	}
	all.Wait()
	slices.SortStableFunc(pairs, func(a, b resolve.Pair) int { return resolve.ComparePairs(l.entities, a, b) })
	return failed
}

// evidence returns the evidence for a verdict, or nothing if it is unsure.
func (v verdict) evidence() resolve.Evidence {
	e := resolve.Evidence{Kind: "model"}
	switch v.Verdict {
	case "same":
		e.Bits, e.Words = judgeBits, "The model "+v.Model+" takes the two for one."
	case "different":
		e.Bits, e.Words = -judgeBits, "The model "+v.Model+" takes the two for different things."
	default:
		e.Words = "The model " + v.Model + " was asked and is not sure."
	}
	return e
}

// verdict returns the recorded verdict on two entities, or asks for it.
func (s *Service) verdict(ctx context.Context, w domain.WorkspaceID, pin int, l library, p resolve.Pair, emit func(kind string, payload any)) (v verdict, err error) {
	sides := []int{p.A, p.B}
	slices.SortFunc(sides, func(i, j int) int { return cmp.Compare(l.entities[i].ID, l.entities[j].ID) }) // not by which is better known
	var data userData
	for _, i := range sides {
		side, err := s.side(ctx, w, l, i)
		if err != nil {
			return v, err
		}
		data.Sides = append(data.Sides, side)
	}
	text, err := s.Judge.Prompts.Text(ctx, w, PromptRole, pin)
	if err != nil {
		return v, err
	}
	user, err := text.Render(prompts.UserPart, data)
	if err != nil {
		return v, err
	}
	q := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: user}}, Prompt: "same/" + text.Version, Owner: domain.CallOwner{Workspace: w}, Fresh: true}
	key, err := llm.Key(s.Judge.Chat.Model(), q)
	if err != nil {
		return v, err
	}
	stored, err := s.Ledger.ModelCall(ctx, key)
	if err != nil {
		return v, err
	}
	if stored != nil {
		err = json.Unmarshal(stored, &v)
		emit(domain.EventUsage, domain.Usage{Model: v.Model, Input: v.Usage.Input, Output: v.Usage.Output, Recorded: true})
		return v, err
	}
	note := func(sentence string) { emit(domain.EventNote, domain.Note{Text: sentence}) }
	err = s.Judge.Fitness.Ask(ctx, note, func(mode llm.Mode) error {
		system, err := text.Render(prompts.SystemPart, systemData{mode == llm.ModePrompt})
		if err != nil {
			return err
		}
		full := q
		full.Messages = append([]llm.Message{{Role: llm.System, Text: system}}, q.Messages...)
		form.Apply(&full, mode)
		answer, err := llm.Ask(ctx, s.Judge.Chat, full, emit)
		v = verdict{Verdict: readVerdict(form.Output(answer)), Model: s.Judge.Chat.Model(), Usage: answer.Usage}
		return err
	})
	if err != nil {
		return v, err
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return v, err
	}
	return v, s.Ledger.SaveModelCall(ctx, key, domain.CallOwner{Workspace: w}, encoded)
}

// readVerdict returns the verdict in a model's answer, "unsure" if there is none.
func readVerdict(text string) string {
	if o, _, ok := llm.ReadObject(text, "verdict"); ok {
		text = o.Text("verdict")
	}
	switch v := strings.ToLower(strings.Trim(llm.Unwrap(text), " \t\r\n.*\"'`")); v {
	case "same", "different":
		return v
	}
	return "unsure"
}

// side returns the description of entity i for the model. A merge by rule, which the library leaves out, doesn't change
// it, so the verdict doesn't change either.
func (s *Service) side(ctx context.Context, w domain.WorkspaceID, l library, i int) (sideData, error) {
	e := l.entities[i]
	side := sideData{Name: prompts.Fence("name", e.Name), Label: prompts.Fence("label", e.Label)}
	related := lists.Map(e.Neighbours, func(n int32) string { return l.entities[n].Name })
	slices.Sort(related)
	side.Related = lists.Map(related[:min(len(related), judgedRelations)], func(name string) prompts.Outside { return prompts.Fence("name", name) })
	passages, err := s.Ledger.Passages(ctx, w, l.first[int32(i)][:min(judgedPassages, len(l.first[int32(i)]))])
	slices.SortFunc(passages, func(a, b domain.Passage) int { return cmp.Compare(a.ID, b.ID) })
	for _, p := range passages {
		side.Passages = append(side.Passages, prompts.Fence("passage", around(p.Text, append([]string{e.Name}, e.Aliases...))))
	}
	return side, err
}

// around cuts a long passage to the text around the first of the names in it.
func around(text string, names []string) string {
	whole, from := []rune(text), 0
	for _, name := range names {
		if before, _, found := strings.Cut(text, name); found {
			from = domain.Runes(before) - judgedLength/2
			break
		}
	}
	from = min(max(from, 0), max(len(whole)-judgedLength, 0))
	return string(whole[from:min(len(whole), from+judgedLength)])
}
