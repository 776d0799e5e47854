package link

import (
	"net/url"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// Fork returns the form to run on from a step of a run; a POST does so.
func Fork(id domain.RunID, step int) string { return Run(id) + "/fork?step=" + strconv.Itoa(step) }

// BranchTurn returns the address of a question with the answer of a branch.
func BranchTurn(c domain.ConversationID, m domain.MessageID, b domain.BranchID) string {
	return OfBranch(Conversation(c), b) + "#turn-" + url.PathEscape(string(m))
}

// OfBranch returns an address in a conversation, with the answer of a branch in
// place of its question's own.
func OfBranch(address string, b domain.BranchID) string { return With(address, "branch", string(b)) }

// DeleteBranch returns the page that confirms a deletion; a POST deletes.
func DeleteBranch(id domain.BranchID) string {
	return "/branches/" + url.PathEscape(string(id)) + "/delete"
}
