package prose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	t.Parallel()
	l := ReadLists("# why\n\n[kin she]\nwife\n# and more\nwidow\n\n[kin he]\nwidow son\n\n[phrases]\nborn in, died\n  in,\n")
	for _, tt := range []struct{ got, want any }{
		{l.Set("kin she"), map[string]bool{"wife": true, "widow": true}},
		{l.Set("phrases"), map[string]bool{"born in": true, "died in": true}},
		{l.Kinds("kin"), map[string]string{"wife": "she", "widow": "she", "son": "he"}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	for _, read := range []func(){func() { l.Set("kin") }, func() { l.Kinds("phrases") }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a list that is missing is read as an empty one")
				}
			}()
			read()
		}()
	}
}
