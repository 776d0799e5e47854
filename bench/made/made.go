// Package made makes the texts of benchmarks, the same each time: people of a made-up country, in whose texts
// others occur.
package made

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

var (
	starts   = strings.Fields("Al Bren Cor Dal Ers Fen Gar Hol Ing Jor Kel Lor Mar Nor Os Pel Quin Ros Sten Tor")
	ends     = strings.Fields("ander bury cott dale ewick field grave holm ish kin lund mere ney over pool quist ridge sham ton wold")
	forename = strings.Fields("Agnes Boris Clara Daniel Edith Felix Greta Henrik Irene Jacob Karin Leonard Martha Nils Olive Peter Rosa Samuel Thea Victor")
	trades   = strings.Fields("bridges bells clocks harbours lenses looms organs pumps ships windmills")
	lines    = []string{
		"%[1]s was born in %[3]s and learned to build %[5]s there.",
		"In %[6]d %[1]s moved to %[4]s, where %[2]s kept a workshop near the old market.",
		"%[2]s married a cousin of %[1]s and founded the %[4]s Museum with what was left.",
		"The council of %[3]s paid for new %[5]s after the flood of %[6]d, and nobody asked for the bill.",
		"%[1]s wrote to %[2]s every month, mostly about money and the weather on the coast.",
		"A fire in %[6]d destroyed the drawings; two of them were found again in %[3]s.",
		"%[2]s works for the %[3]s Company and still repairs %[5]s on Sundays.",
		"When %[1]s died, the papers went from %[4]s to the library of %[3]s.",
	}
)

// place returns one of 400 town names; few are frequent.
func place(r *rand.Rand) string {
	n := int(400 * r.Float64() * r.Float64() * r.Float64())
	return starts[n%20] + ends[n/20]
}

// Person returns the nth of 8,000 people, or a namesake beyond.
func Person(n int) string {
	m := n % 8000 * 4801 % 8000 // neighbours share no name
	name := forename[m%20] + " " + starts[m/20%20] + ends[m/400]
	if n >= 8000 {
		name += fmt.Sprintf(" %s", []string{"the Younger", "the Third", "the Fourth"}[min(n/8000, 3)-1])
	}
	return name
}

// Sentence returns a sentence about the person of a title, with others of so many people. The first kind of sentence says
// where somebody was born; kinds before from are left out.
func Sentence(r *rand.Rand, title string, of, from int) string {
	return fmt.Sprintf(lines[from+r.IntN(len(lines)-from)], title, Person(r.IntN(of)), place(r), place(r), trades[r.IntN(len(trades))], 1700+r.IntN(250))
}

// The sizes of a made set.
const (
	passages  = 4000
	questions = 100
)

// Sets returns the folder with sets of passages, or makes one set in cache if the folder has none, and says so.
func Sets(folder, cache string) (string, error) {
	found, err := filepath.Glob(filepath.Join(folder, "*", "passages.jsonl.gz"))
	if err != nil || len(found) > 0 {
		return folder, err
	}
	fmt.Fprintf(os.Stderr, "%s holds no sets of passages, so one was made in %s. docs/benchmarks.md says what a set of real ones consists of.\n", folder, cache)
	return cache, write(filepath.Join(cache, "made"))
}

// Set returns the folder of the named set among those of Sets, or of the made one.
func Set(folder, name, cache string) (string, error) {
	folder, err := Sets(folder, cache)
	if folder == cache {
		name = "made"
	}
	return filepath.Join(folder, name), err
}

// write writes a set: passages about people, and where some of them were born.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var texts, asked []any
	for n := range passages {
		r := rand.New(rand.NewPCG(uint64(n), 8))
		id, title, home := fmt.Sprintf("p%04d", n), Person(n), place(r)
		text := []string{fmt.Sprintf("%s was born in %s and learned to build %s there.", title, home, trades[r.IntN(len(trades))])}
		for range 3 {
			text = append(text, Sentence(r, title, passages, 1))
		}
		texts = append(texts, map[string]any{"id": id, "title": title, "text": strings.Join(text, " ")})
		if n < questions {
			asked = append(asked, map[string]any{"id": fmt.Sprintf("q%03d", n), "question": "Where was " + title + " born?", "answer": home, "gold": []string{id}})
		}
	}
	return errors.Join(writeLines(filepath.Join(dir, "passages.jsonl.gz"), texts), writeLines(filepath.Join(dir, "questions.jsonl.gz"), asked))
}

func writeLines(path string, values []any) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	encoder := json.NewEncoder(z)
	for _, v := range values {
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
