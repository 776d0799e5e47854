package prose

import (
	"testing"

	"pgregory.net/rapid"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"Marie Curie", "marie curie"},
		{"  MARIE\tCURIE ", "marie curie"},
		{"The Lamplighter", "lamplighter"},
		{"The The", "the"},
		{"the", "the"},
		{"A Tale of Two Cities", "a tale of two cities"},
		{"St. Osyth's Church", "st osyth church"},
		{"St Osyth’s Church", "st osyth church"},
		{"Marie Curie's", "marie curie"},
		{"Mercers' Bridge", "mercers bridge"},
		{"O'Brien", "o brien"},
		{"Smith & Sons", "smith and sons"},
		{"Smith and Sons", "smith and sons"},
		{"AT&T", "at and t"},
		{"Émile Zola", "emile zola"},
		{"E\u0301mile Zola", "emile zola"},
		{"Łódź", "lodz"},
		{"Straße", "strasse"},
		{"ﬁsh", "fish"},
		{"Jean-Luc", "jean luc"},
		{"C++", "c++"},
		{"C#", "c#"},
		{"C", "c"},
		{"U.S.", "u s"},
		{"東京", "東京"},
		{"हिन्दी", "हिन्दी"},
		{"Москва", "москва"},
		{"!!!", "!!!"},
		{"", ""},
		{" \n", ""},
	} {
		if got := Key(tt.name); got != tt.want {
			t.Errorf("Key(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheKeyOfAKeyIsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		key := Key(name)
		if again := Key(key); again != key {
			t.Fatalf("Key(%q) = %q, but its key is %q", name, key, again)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for b.Loop() {
		Key("The Withen Chain Bridge")
	}
}

func TestKeySet(t *testing.T) {
	t.Parallel()
	set := KeySet("Gráfico  the\nGráfico")
	if len(set) != 2 || !set[Key("GRAFICO")] || !set[Key("the")] || set[""] {
		t.Errorf("the set is %v", set)
	}
}
