package retrieve

// tuning holds the weights of the walk: round figures chosen on the development
// part of four sets of multi-hop questions, where halving or doubling any of
// them hardly changes recall.
type tuning struct {
	title    float32 // weight of an edge between a passage and its title
	mention  float32 // weight of an edge between a passage and another name in it
	relation float32 // weight of an edge between two related names

	damping   float32 // probability of following an edge
	passages  float32 // seed of the best passage by vectors
	byWords   float32 // and by words, where there are no vectors
	sentences int     // number of sentences whose names are seeds
	names     int     // number of such names
	step      float32 // share of mass passed on to passages mentioned by title

	ownWords, ownVectors, ownNearness float64 // shares of the three in a passage's own evidence; the last is that of its best sentence

	// What is added to the logarithm of a passage's mass when it is ordered again.
	own    float64 // for its own evidence
	titled float64 // if the question contains its title
	tie    float64 // for a name that it shares with a strong passage
	rest   float64 // for what it holds of the question that a passage tied to it lacks
	fresh  float64 // for what it holds of the question that all chosen before it lack

	lookup float64 // share of the question that the passage with the most evidence holds if it answers alone
}

func tuned() tuning {
	return tuning{title: 3, mention: 1, relation: 1, damping: 0.6, passages: 0.05, byWords: 0.03, sentences: 3, names: 5, step: 1, ownWords: 0.25, ownVectors: 0.25, ownNearness: 0.5, own: 1, titled: 2.5, tie: 2, rest: 10, fresh: 1, lookup: 0.75}
}

// wider returns the tuning of a query that searches further from its seeds.
func (t tuning) wider() tuning {
	t.sentences, t.names, t.damping = 2*t.sentences, 2*t.names, 0.7
	return t
}
