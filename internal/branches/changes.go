package branches

import "github.com/clewhq/clew/internal/answer"

// Changes are what a branch has other than its parent. The zero value changes
// nothing.
type Changes struct {
	answer.Edit
}
