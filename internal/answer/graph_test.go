package answer

import "testing"

func TestGraphNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := Graph(Params{}); err == nil {
		t.Error("a graph without parts compiled")
	}
}
