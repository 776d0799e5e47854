package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// countedDocuments are texts in which things can be counted.
var countedDocuments = map[string]string{
	"orla.md": `# Orla Vennick

Orla Vennick designed the Harrow Bridge in 1902. Orla Vennick designed the Pell Bridge. The Sallow Bridge was designed by Orla Vennick.
Orla Vennick also designed the Gannet Hall. Orla Vennick lived in Marrow. Orla Vennick married Tobias Kell.
Orla Vennick founded the Pell Society in 1911.
`,
	"mill.md": `# The Tamsin Mill

Tobias Kell founded the Tamsin Mill in 1880. Jory Abbott worked at the Tamsin Mill. Lowenna Pask worked at the Tamsin Mill.
Merryn Cole worked at the Tamsin Mill. The Tamsin Mill employed forty people in 1890. The Tamsin Mill has three chimneys.
`,
	"books.md": `# Books

Lowenna Pask wrote the Marrow Chronicle. Lowenna Pask wrote the Harbour Almanac. Edern Trice wrote the Harbour Almanac.
Edern Trice lived in Marrow. Jory Abbott lived in Marrow. Edern Trice built the Crane House. Edern Trice built the Weld House.
Edern Trice built the Long Quay. The Harrow Bridge has nine arches.
`,
}

// notCounted stands for a question that is searched for.
const notCounted = -1

// TestThingsAreCounted asks for counts in words. Of the second list, 18 of 20 questions were counted rightly when they were
// first asked; the verb to found was mended after, so that what they show now is not held out.
func TestThingsAreCounted(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	dir := t.TempDir()
	args := []string{"ingest"}
	for name, text := range countedDocuments {
		args = append(args, file(t, dir, name, text))
	}
	sh.must(t, args...)
	says := regexp.MustCompile(`Counted in the documents: (\d+) `)
	ask := func(t *testing.T, question string) (int, string) {
		t.Helper()
		out := sh.must(t, "ask", question)
		m := says.FindStringSubmatch(out)
		if m == nil {
			return notCounted, out
		}
		n, err := strconv.Atoi(m[1])
		noError(t, err)
		if quotes := strings.Count(out, "“"); quotes < 2*n { // in the answer and among its sources
			t.Errorf("%s: %d are counted, with %d quotations", question, n, quotes)
		}
		return n, out
	}
	for question, want := range map[string]int{
		"How many bridges did Orla Vennick design?":         3,
		"How many bridges did Vennick design?":              3,
		"How many people worked at the Tamsin Mill?":        3,
		"How many houses were built by Edern Trice?":        2,
		"How many chimneys does the Tamsin Mill have?":      notCounted,
		"How many bridges did Orla Vennick design in 1902?": notCounted,
		"How many stone bridges did Orla Vennick design?":   notCounted,
	} {
		if got, out := ask(t, question); got != want {
			t.Errorf("%s %d, want %d\n%s", question, got, want, out)
		}
	}
	for question, want := range map[string]int{
		"how many bridges has orla vennick designed":              3,
		"How many bridges were designed by Orla Vennick?":         3,
		"Count the bridges that Orla Vennick designed":            3,
		"How many halls did Orla Vennick design?":                 1,
		"How many people lived in Marrow?":                        3,
		"How many people live in Marrow?":                         3,
		"How many books did Lowenna Pask write?":                  notCounted, // nothing says that they are books
		"How many almanacs did Edern Trice write?":                1,
		"How many people wrote the Harbour Almanac?":              2,
		"How many societies did Orla Vennick found?":              1,
		"How many mills did Tobias Kell found?":                   1,
		"How many people founded the Tamsin Mill?":                1,
		"How many houses did Edern Trice build?":                  2,
		"How many quays has Edern Trice built?":                   1,
		"How many arches does the Harrow Bridge have?":            notCounted,
		"How many bridges are there?":                             3,
		"How many bridges are mentioned?":                         3,
		"How many people did the Tamsin Mill employ in 1890?":     notCounted,
		"How many times did Orla Vennick marry?":                  notCounted,
		"What is the number of bridges designed by Orla Vennick?": 3,
	} {
		if got, out := ask(t, question); got != want {
			t.Errorf("%s %d, want %d\n%s", question, got, want, out)
		}
	}
}
