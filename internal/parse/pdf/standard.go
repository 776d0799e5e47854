package pdf

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// standardTable has a block for each set of widths of the 14 standard fonts (section 9.6.2.2): a line with the
// fonts, then for each width a line with it and the characters that have it, in hexadecimal, as ranges.
//
//go:embed standard_widths.txt
var standardTable string

// widest is the width of what a standard font has no character for, in thousandths of the size.
const widest = 1000

// standardFont returns the widths of a standard font's characters, nil for another font.
func standardFont(name string) map[rune]float64 {
	for block := range strings.SplitSeq(standardTable, "\n\n") {
		fonts, table, _ := strings.Cut(block, "\n")
		if slices.Contains(strings.Fields(fonts), name) {
			return readWidths(table)
		}
	}
	return nil
}

func readWidths(table string) map[rune]float64 {
	widths := map[rune]float64{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		width, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			continue
		}
		for _, span := range fields[1:] {
			first, last, _ := strings.Cut(span, "-")
			if last == "" {
				last = first
			}
			from, _ := strconv.ParseInt(first, 16, 32)
			to, _ := strconv.ParseInt(last, 16, 32)
			for r := rune(from); r <= rune(to); r++ {
				widths[r] = width
			}
		}
	}
	return widths
}
