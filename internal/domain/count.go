package domain

import "fmt"

// Counted returns a number with its noun: "1 passage", "3 passages".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
