package llm

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Why an answer ended, as Response.Stop has it.
const (
	StopDone     = "stop"
	StopTools    = "tool_calls"
	StopLength   = "length"         // at the limit of tokens
	StopFiltered = "content_filter" // by the server
	StopRefused  = "refusal"        // by the model
	StopRepeated = "repetition"     // it only repeated itself
)

// stops translates what servers say.
var stops = map[string]string{
	"max_tokens": StopLength, "model_length": StopLength, "max_output_tokens": StopLength, "model_context_window_exceeded": StopLength,
	"content-filter": StopFiltered, "safety": StopFiltered, "recitation": StopFiltered, "sensitive": StopFiltered, "prohibited_content": StopFiltered,
	"refused": StopRefused,
}

// Normal returns r with Stop in the words of this package.
func (r Response) Normal() Response {
	if known, ok := stops[strings.ToLower(r.Stop)]; ok {
		r.Stop = known
	}
	if r.Refusal != "" && strings.TrimSpace(r.Text) == "" && len(r.ToolCalls) == 0 {
		r.Stop = StopRefused
	}
	return r
}

// Whole reports whether an answer ended as the model meant it to.
func (r Response) Whole() bool { return r.Cut() == "" }

// longestRefusal bounds the words of a refusal that are repeated, in code points.
const longestRefusal = 200

// Cut describes why an answer is not whole, or "" if it is.
func (r Response) Cut() string {
	switch r.Stop {
	case StopLength:
		return "The model's answer was cut off at its limit of tokens."
	case StopFiltered:
		return "The content filter of the model's server stopped the answer."
	case StopRepeated:
		return "The model repeated itself and was stopped."
	case StopRefused:
		if r.Refusal == "" {
			return "The model refused to answer."
		}
		return fmt.Sprintf("The model refused to answer: “%s”", domain.Cut(domain.OneLine(r.Refusal), longestRefusal))
	}
	return ""
}

// Unusable returns an error if asking again is pointless: the model refused, or a filter stopped it, before it wrote
// anything. Otherwise it returns nil.
func (r Response) Unusable() error {
	if !r.Refused() {
		return nil
	}
	return &Error{Fault: BadAnswer, Message: r.Cut()}
}

// Refused reports whether asking again is pointless: the model refused, or a filter stopped it, before it wrote
// anything.
func (r Response) Refused() bool {
	return (r.Stop == StopRefused || r.Stop == StopFiltered) && strings.TrimSpace(r.Text) == "" && len(r.ToolCalls) == 0
}
