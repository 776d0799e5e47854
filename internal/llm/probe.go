package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// Check is the result of one test of a connection.
type Check struct {
	What     string `json:"what"`
	OK       bool   `json:"ok"`
	None     bool   `json:"none,omitempty"` // nothing was called, because there is no model
	Sentence string `json:"sentence"`
}

// CheckGrading is the subject of the Check that grades labelled passages.
const CheckGrading = "grading"

// Fatal reports whether nothing can be done with the model. One without tools, schemas
// or a long context is asked otherwise or for less.
func (c Check) Fatal() bool {
	switch c.What {
	case "JSON schema", "tools", "context length", "meaning", "plain text", CheckGrading:
		return false
	}
	return !c.OK
}

// Checks are the results of tests.
type Checks []Check

// Print prints a line for each test.
func (c Checks) Print(w io.Writer) error {
	for _, one := range c {
		mark := "works"
		switch {
		case one.None:
			mark = "no model"
		case !one.OK:
			mark = "fails"
		}
		if _, err := fmt.Fprintf(w, "%s  %s\n", mark, one.Sentence); err != nil {
			return err
		}
	}
	return nil
}

// Wrong implements operation.Finding. A model without tools or schemas is not a failure: it is asked in another way.
func (c Checks) Wrong() error {
	failed := lists.CountFunc(c, Check.Fatal)
	if failed == 0 {
		return nil
	}
	return domain.Errorf(domain.Unavailable, "%s.", domain.Counted(failed, "test failed", "tests failed"))
}

// Report is the result of Probe.
type Report struct {
	Checks []Check `json:"checks"`
	Mode   Mode    `json:"mode,omitempty"` // the best mode of the chat model; "" if it does not answer
}

// probeTokens is enough for a model that thinks before it answers.
const probeTokens = 1024

// slowAfter is how long a short answer takes on a server that is called slow.
const slowAfter = 15 * time.Second

// Probe tests a chat model and an embedding model, of which nil ones are skipped,
// by a few small calls that bypass the record. Failures are in the report.
func Probe(ctx context.Context, c Chat, e Embedder) Report {
	var r Report
	if c != nil {
		r.probeChat(ctx, Fresh(c))
	}
	if e != nil {
		r.probeEmbedder(ctx, e)
	}
	return r
}

// Fresh returns c with calls that bypass the record.
func Fresh(c Chat) Chat {
	return around{c, func(ctx context.Context, r Request) (Response, error) {
		r.Fresh = true
		return c.Complete(ctx, r)
	}}
}

func (r *Report) probeChat(ctx context.Context, c Chat) {
	began := time.Now()
	answer, err := c.Complete(ctx, Request{
		Messages:  []Message{{Role: User, Text: "Say yes."}},
		MaxTokens: probeTokens,
		Prompt:    "probe/1",
	})
	r.addConnection(err)
	if err != nil {
		return
	}
	answers := strings.TrimSpace(answer.Text) != ""
	r.add("answers", answers, choose(answers,
		fmt.Sprintf("The model %s answers.", c.Model()),
		cmp.Or(answer.Cut(), fmt.Sprintf("The model %s answers with an empty text. It may need more tokens to think, or another chat template.", c.Model()))))

	if took := time.Since(began); took >= slowAfter {
		r.add("speed", true, fmt.Sprintf("It is slow: %d s for one short answer. It may need a higher LLM_TIMEOUT.", int(took.Seconds())))
	}

	r.Mode = ModePrompt
	if r.try(ctx, c, "JSON schema", followsSchema,
		"It answers in a JSON schema.",
		"It does not follow a JSON schema.") {
		r.Mode = ModeSchema
	}
	if r.try(ctx, c, "tools", callsTools,
		"It calls tools: this is the best way to ask it for entities and verdicts.",
		"It does not call tools.") {
		r.Mode = ModeTool
	}
	if r.Mode == ModePrompt {
		r.add("plain text", answers, "It will be asked in plain text; a model that can call tools finds more.")
	}
}

// addConnection adds the checks that tell whether the server or the model failed.
func (r *Report) addConnection(err error) {
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		fault = &Error{Fault: BadAnswer, Message: err.Error()}
	}
	said := ""
	if fault != nil {
		said = InWords(fault)
	}
	if fault != nil && fault.Status == 0 {
		r.add("server", false, said)
		return
	}
	r.add("server", true, "The server can be reached.")
	switch {
	case fault == nil:
		r.add("model known", true, "It knows the model.")
	case fault.Fault == BadRequest, fault.Fault == Misdirected && fault.Status >= 300:
		r.add("model known", false, said)
	default:
		r.add("answers", false, said)
	}
}

// try tests a feature and adds the check.
func (r *Report) try(ctx context.Context, c Chat, what string, test func(context.Context, Chat) (bool, error), yes, no string) bool {
	ok, err := test(ctx, c)
	if err != nil && !declined(err) {
		no = InWords(err)
	}
	r.add(what, ok, choose(ok, yes, no))
	return ok
}

func (r *Report) probeEmbedder(ctx context.Context, e Embedder) {
	vectors, err := e.Embed(ctx, []string{"The lighthouse keeper lit the lamp.", "Keepers of lighthouses light lamps."})
	if err != nil {
		r.add("embeddings", false, InWords(err))
		return
	}
	r.add("embeddings", true, fmt.Sprintf("The model %s makes vectors of %d numbers.", e.Model(), len(vectors[0])))
	if similarity := min(1, Cosine(vectors[0], vectors[1])); similarity < 0.3 {
		r.add("meaning", false, fmt.Sprintf("Two sentences of the same meaning have a similarity of only %.2f: this may not be an embedding model.", similarity))
	}
}

// declined reports whether the server lacks a feature. Some servers answer 500 or
// 404 then, and only their message tells it from an outage or an unknown model.
func declined(err error) bool {
	var fault *Error
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Status {
	case 404, 500:
		return strings.Contains(fault.Message, "support") || strings.Contains(fault.Message, "require")
	case 501:
		return true
	}
	return fault.Fault == BadRequest
}

func (r *Report) add(what string, ok bool, sentence string) {
	r.Checks = append(r.Checks, Check{What: what, OK: ok, Sentence: sentence})
}

func choose(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// Listed is a model as its server lists it.
type Listed struct {
	Name    string `json:"name"`
	Context int    `json:"context,omitempty"` // most tokens of a prompt with its answer; 0 if the server does not say
	Cuts    bool   `json:"cuts,omitempty"`    // the server may be set to cut shorter prompts
}

// enoughContext is how many tokens suffice for every prompt with its answer.
const enoughContext = 8192

// CheckContext reports whether a model takes the longest prompts, as far as its server tells.
func CheckContext(l Listed) Check {
	c := Check{What: "context length", OK: true}
	switch {
	case l.Context == 0:
		c.Sentence = "The server does not report the context length of the model. It should be at least 8,192 tokens."
	case l.Context < enoughContext:
		c.OK = false
		c.Sentence = fmt.Sprintf("The model's context length is %s tokens, but long prompts with their answers need up to 8,192. Start the server with a longer context, or choose another model.", domain.Thousands(l.Context))
	default:
		c.Sentence = fmt.Sprintf("The model's context length is %s tokens, enough for the longest prompts.", domain.Thousands(l.Context))
	}
	if l.Cuts {
		c.Sentence += " This server cuts longer prompts than it is set to without saying so: start Ollama with OLLAMA_CONTEXT_LENGTH=16384 or more."
	}
	return c
}

// mostNamed is how many models a sentence names.
const mostNamed = 5

// CheckListed returns a check naming the models of a server that lacks the wanted one. It returns false if the server
// has it, or lists none.
func CheckListed(all []Listed, model string) (Check, bool) {
	names := make([]string, len(all))
	for i, l := range all {
		names[i] = l.Name
	}
	if len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return n == model || n == model+":latest" }) {
		return Check{}, false
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return Check{What: "model listed", Sentence: fmt.Sprintf("The server does not list %s. It has %s%s.", model, strings.Join(names, ", "), more)}, true
}
