package resolve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
)

// What becomes of a pair.
const (
	merged   = "merged"
	proposed = "proposed"
	apart    = "apart"
)

// verdict compares two names that stand for entities with some neighbours in
// common, beside others, and returns what becomes of them and by which pattern.
func verdict(a, b, label string, shared int, others ...string) (string, string) {
	entities := []Entity{{ID: "a", Name: a, Label: label, Mentions: 3}, {ID: "b", Name: b, Label: label, Mentions: 1}}
	for i, name := range append(others, "Tarnwick", "Weir Bridge", "Otto Marl", "Velm Courier") {
		at := int32(len(entities))
		entities = append(entities, Entity{ID: domain.EntityID(fmt.Sprint("o", i)), Name: name, Label: domain.UnknownLabel})
		if i >= len(others) && i < len(others)+shared {
			for j := range 2 {
				entities[j].Neighbours = append(entities[j].Neighbours, at)
				entities[at].Neighbours = append(entities[at].Neighbours, int32(j))
			}
		}
	}
	pairs := Match(entities)
	for _, m := range Merges(entities, pairs, 0.95, func(Entity, Entity) bool { return false }) {
		if m.From < 2 && m.Into < 2 {
			return merged, m.Pair.Pattern
		}
	}
	for _, p := range pairs {
		if p.A < 2 && p.B < 2 && p.Score >= 0.5 {
			return proposed, p.Pattern
		}
	}
	return apart, ""
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b, label string
		shared      int // neighbours in common
		want        string
		pattern     string
	}{
		{"Edda Kestle", "Dr. Edda Kestle", "Person", 0, merged, Title},
		{"Edda Kestle", "Kestle, Edda", "Person", 0, merged, Reordered},
		{"Kestle Works", "Kestle Works Ltd", "Organization", 0, merged, LegalForm},
		{"Wool-Mart", "Woolmart", "Organization", 0, merged, Spelling},
		{"Эдда Кестле", "Edda Kestle", "Person", 0, merged, Transliterated},
		{"ედა კესტლე", "Eda Kestle", "Person", 0, merged, Transliterated},
		{"Արամ Հակոբյան", "Aram Hakobyan", "Person", 0, merged, Transliterated},
		{"Շառլ Ազնավուր", "Sharl Aznavur", "Person", 0, merged, Transliterated},
		{"محمد السادات", "Muhammad al-Sadat", "Person", 0, merged, Transliterated},
		{"نجيب محفوظ", "Naguib Mahfouz", "Person", 1, merged, Transliterated},
		{"دمشق", "Damascus", "Place", 0, apart, ""},
		{"دمشق", "Dimashq", "Place", 2, merged, Transliterated},
		{"בנימין נתניהו", "Benjamin Netanyahu", "Person", 0, apart, ""},
		{"בנימין נתניהו", "Binyamin Netanyahu", "Person", 0, merged, Transliterated},
		{"דוד בן גוריון", "David Ben-Gurion", "Person", 0, merged, Transliterated},
		{"박정희", "Park Chung-hee", "Person", 2, merged, Transliterated},
		{"김대중", "Kim Dae-jung", "Person", 0, merged, Transliterated},
		{"이승만", "Syngman Rhee", "Person", 0, proposed, Transliterated},
		{"たけし", "Takeshi", "Person", 1, proposed, Transliterated},
		{"ロナルド・マクラーレン", "Ronald McLaren", "Person", 0, merged, Transliterated},
		{"محمد", "Ahmad", "Person", 2, apart, ""},
		{"Edda Maria Kestle", "Edda Kestle", "Person", 1, merged, ShortName},
		{"Edda Kestle", "E. Kestle", "Person", 0, proposed, Initials},
		{"Edda Kestle", "E. Kestle", "Person", 3, merged, Initials},
		{"Velm Mutual Office", "VMO", "Organization", 0, proposed, Acronym},
		{"Velm Mutual Office", "VMO", "Organization", 3, merged, Acronym},
		{"Lanternfield Bridge", "Lanternfeild Bridge", "Work", 0, proposed, Typo},
		{"Lanternfield Bridge", "Lanternfeild Bridge", "Work", 2, merged, Typo},
		{"Edda Kestle", "Kestle", "Person", 1, proposed, ShortName},
		{"Edda Kestle", "Otto Kestle", "Person", 3, apart, ""},
		{"Edda Kestle", "Mr Kestle", "Person", 0, proposed, ShortName},
		{"Mrs Edda Kestle", "Mr E. Kestle", "Person", 2, apart, ""},
		{"Henry IV", "Henry V", "Person", 3, apart, ""},
		{"Apollo 11", "Apollo 12", "Event", 3, apart, ""},
		{"Otto Kestle Jr.", "Otto Kestle Sr.", "Person", 3, apart, ""},
		{"Otto Kestle", "Otto Kestle Jr.", "Person", 0, apart, ""},
		{"Harrowgate, Ohio", "Harrowgate, Ontario", "Place", 1, apart, ""},
		{"Harrowgate (novel)", "Harrowgate (film)", "Work", 1, apart, ""},
		{"North Harrowgate", "Harrowgate", "Place", 0, apart, ""},
		{"Harrowgate II", "Harrowgate", "Work", 1, apart, ""},
		{"Sir Harrowgate", "Lady Harrowgate", "Person", 2, apart, ""},
	} {
		got, pattern := verdict(c.a, c.b, c.label, c.shared)
		if got != c.want || pattern != c.pattern {
			t.Errorf("%s and %s with %d neighbours in common: %s (%s), want %s (%s)", c.a, c.b, c.shared, got, pattern, c.want, c.pattern)
		}
	}
}

// TestAnAmbiguousAbbreviationIsLeftToAPerson checks that what fits two others
// is merged with neither.
func TestAnAmbiguousAbbreviationIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	if got, _ := verdict("Edda Kestle", "E. Kestle", "Person", 3); got != merged {
		t.Errorf("with one Kestle: %s, want %s", got, merged)
	}
	if got, _ := verdict("Edda Kestle", "E. Kestle", "Person", 3, "Emma Kestle", "Ernst Kestle"); got == merged {
		t.Error("E. Kestle became Edda although there are Emma and Ernst")
	}
}

// library returns many entities: people, works and organisations made of a few
// hundred words, a tenth of them twice under names that differ.
func library(n int, random *rand.Rand) []Entity {
	syllables := strings.Fields("ka lo mi ren tar vel wick ford bran dre os il un zan qua pel mor hin ges tov ard")
	word := func(parts int) string {
		var b strings.Builder
		for range parts {
			b.WriteString(syllables[random.IntN(len(syllables))])
		}
		s := b.String()
		return strings.ToUpper(s[:1]) + s[1:]
	}
	families := make([]string, n/8+1)
	for i := range families {
		families[i] = word(3)
	}
	entities := make([]Entity, 0, n)
	for len(entities) < n {
		e := Entity{ID: domain.EntityID(fmt.Sprintf("e%06d", len(entities))), Label: "Person", Mentions: 1 + random.IntN(5)}
		family := families[random.IntN(len(families))]
		switch random.IntN(4) {
		case 0:
			e.Name, e.Label = family+" "+word(2)+" Company", "Organization"
		case 1:
			e.Name, e.Label = "The "+word(2)+" of "+family, "Work"
		default:
			e.Name = word(2) + " " + family
		}
		entities = append(entities, e)
		if words := strings.Fields(e.Name); random.IntN(10) == 0 && len(entities) < n {
			e.ID += "x"
			e.Name = words[0][:1] + ". " + strings.Join(words[1:], " ")
			entities = append(entities, e)
		}
	}
	for i := range entities {
		for range 6 {
			j := random.IntN(n)
			if random.IntN(2) == 0 {
				j = min(n-1, i-i%10+random.IntN(10))
			}
			if i != j {
				entities[i].Company, entities[j].Company = append(entities[i].Company, int32(j)), append(entities[j].Company, int32(i))
			}
			if i != j && random.IntN(3) == 0 {
				entities[i].Neighbours, entities[j].Neighbours = append(entities[i].Neighbours, int32(j)), append(entities[j].Neighbours, int32(i))
			}
		}
	}
	tidy(entities)
	return entities
}

func tidy(entities []Entity) {
	for i := range entities {
		e := &entities[i]
		slices.Sort(e.Company)
		slices.Sort(e.Neighbours)
		e.Company, e.Neighbours = slices.Compact(e.Company), slices.Compact(e.Neighbours)
	}
}

// TestTheOrderOfEntitiesDoesNotMatter compares a library in two orders.
func TestTheOrderOfEntitiesDoesNotMatter(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 1))
		entities := library(120, random)
		to := random.Perm(len(entities)) // the new places
		shuffled := make([]Entity, len(entities))
		for i, e := range entities {
			e.Company, e.Neighbours = slices.Clone(e.Company), slices.Clone(e.Neighbours)
			for _, list := range [][]int32{e.Company, e.Neighbours} {
				for k, j := range list {
					list[k] = int32(to[j])
				}
			}
			shuffled[to[i]] = e
		}
		tidy(shuffled)
		if diff := gocmp.Diff(told(entities), told(shuffled)); diff != "" {
			t.Fatalf("-in order +shuffled\n%s", diff)
		}
	})
}

// told returns all pairs and merges in words.
func told(entities []Entity) []string {
	pairs := Match(entities)
	var list []string
	for _, p := range pairs {
		list = append(list, fmt.Sprint(entities[p.A].ID, entities[p.B].ID, p.Score, p.Pattern, p.Evidence))
	}
	merges := Merges(entities, pairs, 0.9, func(Entity, Entity) bool { return false })
	slices.SortFunc(merges, func(x, y Merge) int { return cmp.Compare(entities[x.From].ID, entities[y.From].ID) })
	for _, m := range merges {
		list = append(list, fmt.Sprint(entities[m.From].ID, " into ", entities[m.Into].ID))
	}
	return list
}
