package resolve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/long"
)

// direction returns a random unit vector.
func direction(random *rand.Rand, size int) []float32 {
	v, sum := make([]float32, size), 0.0
	for i := range v {
		v[i] = float32(random.NormFloat64())
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// turned returns a unit vector at a cosine from v.
func turned(random *rand.Rand, v []float32, cosine float64) []float32 {
	w, dot, sum := direction(random, len(v)), 0.0, 0.0
	for i := range v {
		dot += float64(v[i] * w[i])
	}
	for i := range v {
		w[i] -= float32(dot) * v[i]
		sum += float64(w[i] * w[i])
	}
	for i := range v {
		w[i] = float32(cosine)*v[i] + w[i]*float32(math.Sqrt((1-cosine*cosine)/sum))
	}
	return w
}

func TestMeaningsKeepAngles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{64, 384, 1536} {
		for _, cosine := range []float64{0, 0.5, 0.8, 0.9, 0.97, 1} {
			sum := 0.0
			for range 40 {
				v := direction(random, size)
				sum += MeaningOf(v).alike(MeaningOf(turned(random, v, cosine)))
			}
			if got := sum / 40; math.Abs(got-cosine) > 0.06 {
				t.Errorf("embeddings of %d numbers at a cosine of %.2f: %.2f on average", size, cosine, got)
			}
		}
	}
}

// TestNeighboursByMeaningAreFound plants pairs among random embeddings. With
// CLEW_LONG it does so among 50,000 entities.
func TestNeighboursByMeaningAreFound(t *testing.T) {
	t.Parallel()
	n := long.Or(4_000, 50_000)
	random := rand.New(rand.NewPCG(3, 4))
	var entities []Entity
	add := func(v []float32) {
		m := MeaningOf(v)
		entities = append(entities, Entity{ID: domain.EntityID(fmt.Sprint(len(entities))), Meaning: &m})
	}
	for range n / 10 {
		v := direction(random, 384)
		add(v)
		add(turned(random, v, 0.95))
		for range 8 {
			add(direction(random, 384))
		}
	}
	found := 0
	pairs := neighbours(entities)
	for _, p := range pairs {
		if p[0]%10 == 0 && p[1] == p[0]+1 {
			found++
		}
	}
	if found < n/10*9/10 || len(pairs) > found+n/100 {
		t.Errorf("of %d planted pairs %d are found, among %d", n/10, found, len(pairs))
	}
}

// TestATranslationIsProposed compares names that have nothing but their meaning
// in common.
func TestATranslationIsProposed(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	v := direction(random, 384)
	meaning := func(cosine float64) *Meaning {
		m := MeaningOf(turned(random, v, cosine))
		return &m
	}
	for _, c := range []struct {
		a, b   string
		cosine float64
		want   bool
	}{
		{"German Railways", "Deutsche Bahn", 0.99, true},
		{"German Railways", "Deutsche Bahn", 0.5, false},
		{"German Railways", "German Airways", 0.99, false}, // alike for the word
		{"German Railways", "Deutsche Bahn 2", 0.99, false},
	} {
		entities := []Entity{{ID: "a", Name: c.a, Label: "Organization", Mentions: 2, Meaning: meaning(1)}, {ID: "b", Name: c.b, Label: "Organization", Mentions: 1, Meaning: meaning(c.cosine)}}
		pairs := Match(entities)
		got := len(pairs) == 1 && pairs[0].Score >= 0.5 && pairs[0].Pattern == SameMeaning && pairs[0].Vetoed
		if got != c.want {
			t.Errorf("%s and %s at %.2f: %+v, want a proposal: %v", c.a, c.b, c.cosine, pairs, c.want)
		}
	}
}
