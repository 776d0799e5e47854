package extract

import "github.com/clewhq/clew/internal/domain"

// The parts of a call's tokens: the built-in prompt with the form of the answer,
// and the answer for each token of the passage.
const (
	promptTokens = 900
	leastAnswer  = 0.5
	mostAnswer   = 2.5
)

// Estimate returns what reading a window uses, at least and at most, by one call
// for each pass. rules are the tokens of the guide itself.
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
