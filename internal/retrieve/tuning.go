package retrieve

// tuning are the weights of the walk. They were chosen as round figures on the
// development part of four sets of multi-hop questions, where recall hardly
// changes when one of them is halved or doubled.
type tuning struct {
	title    float32 // edge between a passage and the name that is its title
	mention  float32 // edge between a passage and a name in it
	relation float32 // edge between two names for a mined relation

	damping   float32 // chance of following an edge
	passages  float32 // seed of the best passage by vectors, or by words where there are none
	sentences int     // best sentences whose names are seeds
	names     int     // of these names, how many
	step      float32 // share of its mass that a passage gives to those it names by title
}

func tuned() tuning {
	return tuning{title: 3, mention: 1, relation: 1, damping: 0.5, passages: 0.05, sentences: 3, names: 5, step: 0.5}
}

// wider is a search that looks further from where it starts.
func (t tuning) wider() tuning {
	t.sentences, t.names, t.damping = 2*t.sentences, 2*t.names, 0.7
	return t
}
