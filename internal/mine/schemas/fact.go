package schemas

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// FactLine writes a fact of an example as one line, for people to edit.
func FactLine(f extract.Fact) string {
	return strings.Join([]string{f.Head, f.HeadType, f.Relation, f.Tail, f.TailType}, " | ")
}

// ParseFacts reads facts, one a line. The error is Invalid and names the line.
func ParseFacts(text string) ([]extract.Fact, error) {
	var all []extract.Fact
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			return all, domain.Errorf(domain.Invalid, "The line %q is not a fact. Write: Ada Brandt | Person | FOUNDED | Nordlicht | Organisation.", domain.Cut(line, 80))
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, extract.Fact{Head: cells[0], HeadType: cells[1], Relation: cells[2], Tail: cells[3], TailType: cells[4]})
	}
	return all, nil
}
