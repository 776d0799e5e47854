package link

import (
	"net/url"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// The addresses of the review.
const (
	Review     = "/review"      // pairs that may be the same; with "list", a work list
	ReviewWork = "/review/work" // POST: a decision about an entry of a work list
	ReviewLook = "/review/look" // POST: search for pairs that may be the same
	ReviewUndo = "/review/undo" // POST: undo several changes
)

// Pair returns the address of the page of a pair that may be the same.
func Pair(id domain.ProposalID) string { return With(Review, "pair", string(id)) }

// DecidePair returns the address that decides about a pair, by POST.
func DecidePair(id domain.ProposalID) string { return Review + "/pairs/" + url.PathEscape(string(id)) }

// TakeUp returns the address that puts a pair that was put off back into its
// place, by POST.
func TakeUp(id domain.ProposalID) string { return DecidePair(id) + "/again" }

// Alike returns the list of all pairs whose names differ in the same way; a POST
// decides about those chosen.
func Alike(pattern string) string { return Review + "/alike/" + url.PathEscape(pattern) }

// A Work is a work list as its address holds it.
type Work struct {
	List     string
	Label    string            // "" for all
	Document domain.DocumentID // "" for all
	Offset   int
}

// URL returns the list's address.
func (w Work) URL() string {
	offset := ""
	if w.Offset > 0 {
		offset = strconv.Itoa(w.Offset)
	}
	return With(Review, "list", w.List, "label", w.Label, "doc", string(w.Document), "offset", offset)
}

// With returns the first page of the list with another filter.
func (w Work) With(label string, document domain.DocumentID) Work {
	return Work{List: w.List, Label: label, Document: document}
}

// ChangedAll adds to an address the numbers of the changes that led to it.
func ChangedAll(address string, seqs []int64) string { return several(address, "change", seqs) }

// UndoAll returns the address that takes back several changes, by POST.
func UndoAll(seqs []int64) string { return several(ReviewUndo, "change", seqs) }

func several(address, name string, numbers []int64) string {
	q := url.Values{}
	for _, n := range numbers {
		q.Add(name, strconv.FormatInt(n, 10))
	}
	if len(q) == 0 {
		return address
	}
	return join(address, q)
}
