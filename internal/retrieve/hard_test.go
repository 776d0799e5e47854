package retrieve

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// TestHardQuestions asks what real questions of several hops were missed for:
// each needs the passages with want's numbers.
func TestHardQuestions(t *testing.T) {
	t.Parallel()
	many := func(from []text, n int, title, body string) []text {
		for i := range n {
			from = append(from, text{fmt.Sprintf("%s %d", title, i), fmt.Sprintf(body, i)})
		}
		return from
	}
	for name, c := range map[string]struct {
		texts    []text
		question string
		want     []domain.ChunkID
	}{
		"a name too common to lead on": {
			many([]text{
				{"Weir Bridge", "Weir Bridge is in Spain. Jonah Brandreth built Weir Bridge."},
				{"Jonah Brandreth", "He owned a quarry by the sea."},
			}, 12, "Town", "Town %d lies in Spain. The builders there owned their houses."),
			"What did the builder of Weir Bridge in Spain own?", []domain.ChunkID{"c0000", "c0001"},
		},
		"a description without a name": {
			many([]text{
				{"Dame Alley", "Hester Pryor founded a school in which lessons were free."},
				{"Registers", "Hester Pryor was buried in Karsholm in March."},
			}, 12, "School", "The school of parish %d charged a fee. Its founder is not known."),
			"Where was the founder of the school with free lessons buried?", []domain.ChunkID{"c0000", "c0001"},
		},
		"a sequel": {
			[]text{
				{"The Heron Returns (film)", "The Heron Returns is a film with Anna Lind in the leading part."},
				{"Anna Lind", "She was born in Osterby and learned to sing there."},
				{"The Heron (film)", "The Heron is a film with Ruth Garland in the leading part. The Heron Returns followed."},
				{"The Heron (novel)", "The Heron is a novel on which two films with leading parts for singers are based."},
				{"Ruth Garland", "She was born in Tarnwick and painted."},
			},
			"Where was the leading actress of The Heron Returns born?", []domain.ChunkID{"c0000", "c0001"},
		},
		"a namesake": {
			[]text{
				{"Karsholm (Lune)", "Karsholm is a town on the Lune. Bartel Crane was its mayor."},
				{"Bartel Crane", "He commanded a ferry for thirty years."},
				{"Karsholm (island)", "Karsholm is an island without a town. Hester Pryor keeps its light."},
				{"Hester Pryor", "She commanded nobody."},
			},
			"What did the mayor of the town Karsholm command?", []domain.ChunkID{"c0000", "c0001"},
		},
		"a misspelt name": {
			append(many(nil, 12, "Port", "Port %d sells its fish smoked. The fish of port %[1]d is known."),
				text{"Karsholm", "Anna Lind lays the fish in salt, and then in ice from the lake behind the church."}),
			"Who preserves the fish of Karshlom?", []domain.ChunkID{"c0012"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := chunksOf(ask(t, newRetriever(newFake(c.texts...)), Query{Text: c.question, Limit: len(c.want)}))
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("passages (-want +got)\n%s", diff)
			}
		})
	}
}
