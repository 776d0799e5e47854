package link

import (
	"net/url"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// Compare is the page of two runs side by side.
const Compare = "/compare"

// CompareRuns returns the page of two runs side by side; without a right one it
// offers some.
func CompareRuns(left, right domain.RunID) string {
	return With(Compare, "left", string(left), "right", string(right))
}

// CompareAt returns the page of two runs with the states at the n-th pair of steps,
// from 1.
func CompareAt(left, right domain.RunID, n int) string {
	return CompareRuns(left, right) + "&at=" + strconv.Itoa(n) + "#states"
}

// Methods returns the page of the answers to a question by each method. POST: start
// them.
func Methods(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "/methods/" + url.PathEscape(string(m))
}
