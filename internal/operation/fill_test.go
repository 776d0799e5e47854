package operation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

type chosen struct {
	ID    domain.DocumentID `json:"document" arg:"DOCUMENT"`
	Times int               `json:"times" default:"2" wrong:"%q is not a number of times."`
	Share float64           `json:"share"`
	Loud  bool              `json:"loud"`
	Tags  []domain.Format   `json:"tags"`
	Note  *string           `json:"note"`
	File  File              `json:"file"`
	inner int
}

func TestFieldsAreSetToWhatIsGiven(t *testing.T) {
	t.Parallel()
	note := ""
	for _, tt := range []struct {
		name  string
		given map[string][]string
		want  chosen
		wrong string
	}{
		{"nothing", nil, chosen{Times: 2}, ""},
		{"all", map[string][]string{"document": {"d1"}, "times": {"3"}, "share": {"0.5"}, "loud": {"on"}, "tags": {"pdf", "docx"}, "note": {""}, "inner": {"9"}, "file": {"x"}},
			chosen{"d1", 3, .5, true, []domain.Format{"pdf", "docx"}, &note, File{}, 0}, ""},
		{"no number", map[string][]string{"times": {"often"}}, chosen{}, `"often" is not a number of times.`},
		{"no fraction", map[string][]string{"share": {"half"}}, chosen{Times: 2}, `"half" is not a number.`},
	} {
		var got chosen
		err := Fill(&got, func(f Field) []string { return tt.given[f.Name] })
		if message, _ := domain.MessageOf(err); message != tt.wrong {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.wrong)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(chosen{}), cmp.Comparer(func(a, b File) bool { return a.Name == b.Name })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestOnlyOwnersMayDoWhatIsTheirs(t *testing.T) {
	t.Parallel()
	for role, want := range map[domain.Role]bool{domain.Owner: true, domain.Curator: false, "": true} {
		if err := Admin.Check(role); (err == nil) != want {
			t.Errorf("%q: %v", role, err)
		}
		if err := WriteDocuments.Check(role); err != nil {
			t.Errorf("%q: %v", role, err)
		}
	}
}
