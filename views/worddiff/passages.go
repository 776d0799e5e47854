package worddiff

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// maxTable bounds the pairs of words that are compared in one passage.
const maxTable = 4_000_000

// A Change is passages that differ between two texts, with the number of passages
// before them that are the same in both.
type Change struct {
	Same  int
	Parts []Part // by words
}

// Passages compares two texts passage by passage, separated by blank lines, and the passages that changed word by word.
// Same is the number of passages after the last change.
func Passages(before, after string) (changes []Change, same int) {
	parts := Lines(passages(before), passages(after))
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if p.Kind == Same {
			if p.Text != "" {
				same += strings.Count(p.Text, "\n") + 1
			}
			continue
		}
		gone, came := p.Text, ""
		if p.Kind == New {
			gone, came = "", p.Text
		} else if i+1 < len(parts) && parts[i+1].Kind == New {
			i++
			came = parts[i].Text
		}
		changes = append(changes, Change{same, words(gone, came)})
		same = 0
	}
	return changes, same
}

// passages returns a text with each of its passages as a line.
func passages(text string) string {
	var lines []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if line := domain.OneLine(p); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// words is Words of texts of any length.
func words(gone, came string) []Part {
	if a, b := len(strings.Fields(gone)), len(strings.Fields(came)); a > 0 && b > 0 && a*b <= maxTable {
		return Words(gone, came)
	}
	var parts []Part
	if gone != "" {
		parts = append(parts, Part{Kind: Gone, Text: strings.ReplaceAll(gone, "\n", " ")})
	}
	if came != "" {
		parts = append(parts, Part{Kind: New, Text: strings.ReplaceAll(came, "\n", " ")})
	}
	return parts
}
