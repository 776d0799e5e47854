package chart

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Specification is a chart as somebody asks for it, before anything of it has
// been looked up.
type Specification struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	X      string  `json:"x"` // title of the axis of categories, or of X of a scatter
	Y      string  `json:"y"` // title of the axis of values
	Points []Datum `json:"points"`
}

// Datum is one value of a specification with where it is said to stand.
type Datum struct {
	Series   string `json:"series"`
	Category string `json:"category"` // not of a scatter
	X        string `json:"x"`        // of a scatter: a number
	Value    string `json:"value"`    // a number, as one writes it
	Passage  int    `json:"passage"`  // number of the passage, 0 when no passage is named
	Count    int    `json:"count"`    // number of the count, 0 when it is none
}

// The bounds of what is read, beyond which no chart could be drawn.
const (
	longestSaid = 1 << 20 // bytes
	mostData    = 2000
)

// ReadSpecification reads what a model said: a JSON object, perhaps with a
// fence, a thought or words around it. Numbers and texts may stand for each
// other. The error is a sentence for the model.
func ReadSpecification(said string) (Specification, error) {
	if len(said) > longestSaid {
		return Specification{}, errors.New("the answer is too long")
	}
	said = llm.WithoutThoughts(said)
	start, end := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}')
	if start < 0 || end < start {
		return Specification{}, errors.New("the answer holds no JSON object")
	}
	var o object
	if err := json.Unmarshal([]byte(said[start:end+1]), &o); err != nil {
		return Specification{}, errors.New("the answer is not valid JSON")
	}
	s := Specification{Type: o.text("type"), Title: o.text("title"), Unit: o.text("unit"), X: o.text("x"), Y: o.text("y")}
	var points []object
	if json.Unmarshal(o["points"], &points) != nil {
		return Specification{}, errors.New("points is not a list of objects")
	}
	if len(points) > mostData {
		return Specification{}, errors.New("there are " + strconv.Itoa(len(points)) + " points, more than any chart may have")
	}
	for _, p := range points {
		s.Points = append(s.Points, Datum{
			Series: p.text("series"), Category: p.text("category"), X: p.text("x"), Value: p.text("value"),
			Passage: p.number("passage"), Count: p.number("count"),
		})
	}
	return s, nil
}

// object is a JSON object whose members are read as they come.
type object map[string]json.RawMessage

// text is a member that is a string or a number; "" for all else.
func (o object) text(name string) string {
	var s string
	if json.Unmarshal(o[name], &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(o[name], &n) == nil {
		return plainNumber(n.String())
	}
	return ""
}

// plainNumber writes a JSON number without an exponent, so that it reads like
// one of a text.
func plainNumber(digits string) string {
	if !strings.ContainsAny(digits, "eE") {
		return digits
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return digits
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// number is a member that is a number from 1, written as one or as a text such
// as "[2]"; 0 for all else.
func (o object) number(name string) int {
	n, err := strconv.Atoi(strings.Trim(o.text(name), "[] "))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var plainDecimal = regexp.MustCompile(`^[-−+]?\d+(?:\.\d+)?$`)

// amount is what a specification gives as a number: the values that it may
// have, and what it says of scale, percent and currency itself.
func amount(said string) (quantity, bool) {
	said = strings.TrimSpace(said)
	if plainDecimal.MatchString(said) && len(said) <= longestNumeral {
		v, err := strconv.ParseFloat(strings.TrimPrefix(strings.Replace(said, "−", "-", 1), "+"), 64)
		return quantity{values: []float64{v}, scale: 1}, err == nil
	}
	all := quantities(said)
	if len(all) == 0 {
		return quantity{}, false
	}
	return all[0], true
}
