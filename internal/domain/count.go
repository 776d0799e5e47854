package domain

import (
	"fmt"
	"strconv"
)

// Counted returns a number with its noun: "1 passage", "3 passages".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Thousands writes a number that is not negative with commas between thousands.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Percentile returns the smallest of the sorted values that at least the given percentage does not exceed, or the zero
// value if there are none.
func Percentile[T any](sorted []T, percent int) (v T) {
	if n := len(sorted); n > 0 {
		v = sorted[max(1, (n*percent+99)/100)-1]
	}
	return v
}
