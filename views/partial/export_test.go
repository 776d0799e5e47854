package partial

// StageNodes returns the nodes of all stages.
func StageNodes() []string {
	var nodes []string
	for _, s := range stages {
		nodes = append(nodes, s.nodes...)
	}
	return nodes
}

// CountLabel is exported for the tests.
var CountLabel = countLabel
