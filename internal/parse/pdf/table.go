package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCellWords is how many words the cells of a table have on average, at most.
const maxCellWords = 5

// isTable reports whether the lines on both sides of a gutter are cells that
// share their rows, rather than two columns of prose: figures on one side, or
// short words that begin anew in each line on both.
func isTable(left, right []line) bool {
	if sharedRows(left, right) < 0.7*float64(min(len(left), len(right))) {
		return false
	}
	return mostlyFigures(left) || mostlyFigures(right) || beginAnew(left) && beginAnew(right)
}

// sharedRows returns how many lines of one side stand at the height of one of
// the other. Both run from top to bottom.
func sharedRows(left, right []line) (shared float64) {
	for len(left) > 0 && len(right) > 0 {
		apart := left[0].y - right[0].y
		switch {
		case math.Abs(apart) < 0.3*max(left[0].size, right[0].size):
			shared++
			left, right = left[1:], right[1:]
		case apart > 0:
			left = left[1:]
		default:
			right = right[1:]
		}
	}
	return shared
}

// mostlyFigures reports whether half of the lines say numbers, with no more
// letters than a unit or the name of a month has.
func mostlyFigures(lines []line) bool {
	figures := 0
	for _, l := range lines {
		letters, digits := 0, 0
		for _, r := range l.text {
			switch {
			case unicode.IsDigit(r):
				digits++
			case unicode.IsLetter(r):
				letters++
			}
		}
		if letters < digits || letters == 0 {
			figures++
		}
	}
	return 2*figures >= len(lines)
}

// beginAnew reports whether the lines are short and none goes on from the one
// above, as those of prose do: each begins with a capital letter or a digit.
// Where letters have no case, nothing can be said.
func beginAnew(lines []line) bool {
	words, anew, on := 0, 0, 0
	for _, l := range lines {
		words += len(strings.Fields(l.text))
		r, _ := utf8.DecodeRuneInString(l.text)
		switch {
		case unicode.IsUpper(r), unicode.IsDigit(r):
			anew++
		default:
			on++
		}
	}
	return words <= maxCellWords*len(lines) && on*10 <= anew
}
