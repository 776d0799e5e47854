package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTables reads the tables of texts: the heads and rows as words, without places.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want [][]string
	}{
		"a head and a row": {"version | codename\n5.0 | Lenny\n", [][]string{{"version", "codename"}, {"5.0", "Lenny"}}},
		"a row that lacks its last cells": {
			"version | codename | released | ends\n4.0 | Etch | 2007-04-08 | 2010-02-15\n14 | Forky | 2027-06-01\n",
			[][]string{{"version", "codename", "released", "ends"}, {"4.0", "Etch", "2007-04-08", "2010-02-15"}, {"14", "Forky", "2027-06-01", ""}},
		},
		"a narrower table below a blank line": {
			"name | room | price\ndesk | Sund | 12\n\nname | room\nchair | Sund\n",
			[][]string{{"name", "room", "price"}, {"desk", "Sund", "12"}, {"name", "room"}, {"chair", "Sund"}},
		},
		"a row with a date is not a head": {"Lenny | 2009-02-14\nEtch | 2007-04-08\n", nil},
	} {
		var got [][]string
		for _, table := range Tables(c.text, "") {
			rows := []Row{{Cells: table.Head}}
			for _, row := range append(rows, table.Rows...) {
				var cells []string
				for _, cell := range row.Cells {
					cells = append(cells, cell.Text)
				}
				got = append(got, cells)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
