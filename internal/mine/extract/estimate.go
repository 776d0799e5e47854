package extract

import "github.com/clewhq/clew/internal/domain"

// The parts of a call's tokens: the built-in prompt with the form of the answer,
// and the answer for each token of the passage.
const (
	promptTokens = 900
	leastAnswer  = 0.5
	mostAnswer   = 2.5
)

// Estimate returns the usage of reading a window, at least and at most, with one call for each pass. rules are the
// tokens of the guide itself.
func Estimate(window []domain.Chunk, rules, gleaning int) (calls int, least, most domain.Usage) {
	text := tokens(window)
	calls = 1 + gleaning
	for pass := range calls {
		low, high := int(leastAnswer*float64(text)), int(mostAnswer*float64(text))
		prompt := promptTokens + rules + text
		least.Input, least.Output = least.Input+prompt+pass*low, least.Output+low
		most.Input, most.Output = most.Input+prompt+pass*high, most.Output+high
	}
	return calls, least, most
}

// FieldTokens bounds what a model is shown of a document whose fields are asked for.
const FieldTokens = 3000

// The tokens of a call for fields: the prompt without the text, each field in it, and the answer for each.
const (
	fieldsPrompt = 300
	fieldAsked   = 40
	leastField   = 10
	mostField    = 60
)

// EstimateFields returns the usage of asking for the fields of a document of a number of tokens, at least and at most.
// If lines of the text state all of them, no model is asked.
func EstimateFields(rules []FieldRule, length int) (calls int, least, most domain.Usage) {
	n := len(rules)
	if n == 0 {
		return 0, least, most
	}
	least.Input = fieldsPrompt + fieldAsked*n + min(length, FieldTokens)
	most.Input, least.Output, most.Output = least.Input, leastField*n, mostField*n
	return 1, least, most
}
