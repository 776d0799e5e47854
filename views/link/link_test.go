package link_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want string }{
		{link.Passage("d1", domain.Span{Start: 4, End: 9}), "/documents/d1?start=4&end=9#hit"},
		{link.Source("k1", "m2", 3), "/ask/k1/source/m2/3"},
		{link.Document("../x"), "/documents/..%2Fx"},
		{link.RunEvents("r1", 7), "/runs/r1/events?after=7"},
		{link.Question("a&b ?"), "/ask?q=a%26b+%3F"},
		{link.With("/entities", "q", "", "label", "Person"), "/entities?label=Person"},
		{link.With("/entities", "q", ""), "/entities"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
