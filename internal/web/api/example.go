package api

import (
	_ "embed" // examples
	"encoding/json"
)

// An Example is a request that was carried out on a small library, and its answer. Ids, times and what depends on the machine
// are replaced, long lists and texts are cut.
type Example struct {
	Route  string `json:"route"`
	Path   string `json:"path"`           // below Root, with the query
	Body   string `json:"body,omitempty"` // JSON, or a form as curl sends it
	Status int    `json:"status"`
	Answer string `json:"answer,omitempty"` // JSON, or the name of a file
}

//go:embed examples.json
var examples []byte

// Examples returns an example of each route, by route.
func Examples() []Example {
	var all []Example
	_ = json.Unmarshal(examples, &all) // a test writes it, and compares it
	return all
}
