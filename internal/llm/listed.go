package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Listed is a model as its server lists it.
type Listed struct {
	Name    string `json:"name"`
	Context int    `json:"context,omitempty"` // the most tokens of a prompt with its answer; 0 where the server does not say
	Cuts    bool   `json:"cuts,omitempty"`    // the server may be set to cut prompts that are shorter than that
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
