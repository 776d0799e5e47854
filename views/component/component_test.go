package component_test

import (
	"net/url"
	"testing"

	"github.com/clewhq/clew/views/component"
)

func TestPages(t *testing.T) {
	t.Parallel()
	p := component.PagesProps{URL: "/runs", Query: url.Values{"kind": {"answer"}, "q": {""}}, Limit: 50, Total: 120}
	at := func(offset int) component.PagesProps { p.Offset = offset; return p }
	tests := []struct{ got, want string }{
		{at(0).Range(t.Context()), "1 to 50 of 120"}, {at(0).Previous(), ""}, {at(0).Next(), "/runs?kind=answer&offset=50"},
		{at(50).Previous(), "/runs?kind=answer"}, {at(100).Range(t.Context()), "101 to 120 of 120"}, {at(100).Next(), ""}, {at(200).Range(t.Context()), "none of 120"},
		{at(30).Previous(), "/runs?kind=answer"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestEveryLabelHasAShapeOfItsOwnForEver(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Person", "Ship", "", "人物"} {
		if s := component.ShapeOf(label); s.Path == "" || s.Class == "" || s != component.ShapeOf(label) {
			t.Errorf("%q has the shape %+v", label, s)
		}
	}
	if component.ShapeOf("Person") == component.ShapeOf("Place") {
		t.Error("persons and places have the same shape")
	}
}
