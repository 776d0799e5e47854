package chart

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Specification is a requested chart, none of which has been verified.
type Specification struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	X      string  `json:"x"` // title of the axis of categories, or of X
	Y      string  `json:"y"` // title of the axis of values
	Points []Datum `json:"points"`
}

// Datum is one value of a specification with its claimed source.
type Datum struct {
	Series   string `json:"series"`
	Category string `json:"category"` // not of a scatter
	X        string `json:"x"`        // of a scatter: a number
	Value    string `json:"value"`    // a number as people write it
	Passage  int    `json:"passage"`  // number of the passage; 0 for none
	Count    int    `json:"count"`    // number of the count; 0 for none
}

// Limits of a model's answer, far above the limits of a chart.
const (
	maxAnswer = 1 << 20 // bytes
	maxData   = 2000
)

// ParseSpecification parses a model's answer: a JSON object, perhaps in a fence
// or between thoughts and words. Numbers may be strings and the reverse. The
// error is a sentence for the model.
func ParseSpecification(answer string) (Specification, error) {
	if len(answer) > maxAnswer {
		return Specification{}, errors.New("the answer is too long")
	}
	answer = llm.WithoutThoughts(answer)
	start, end := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if start < 0 || end < start {
		return Specification{}, errors.New("the answer holds no JSON object")
	}
	var o object
	if err := json.Unmarshal([]byte(answer[start:end+1]), &o); err != nil {
		return Specification{}, errors.New("the answer is not valid JSON")
	}
	s := Specification{Type: o.text("type"), Title: o.text("title"), Unit: o.text("unit"), X: o.text("x"), Y: o.text("y")}
	var points []object
	if json.Unmarshal(o["points"], &points) != nil {
		return Specification{}, errors.New("points is not a list of objects")
	}
	if len(points) > maxData {
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

// An object is a JSON object with members of any type.
type object map[string]json.RawMessage

// text returns a member that is a string or a number, else "".
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

// plainNumber writes a JSON number without an exponent, as in a text.
func plainNumber(digits string) string {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !strings.ContainsAny(digits, "eE") {
		return digits
	}
	return formatNumber(v)
}

// number returns a member that is a positive number, perhaps written as "[2]",
// else 0.
func (o object) number(name string) int {
	n, err := strconv.Atoi(strings.Trim(o.text(name), "[] "))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var plainDecimal = regexp.MustCompile(`^[-−+]?\d+(?:\.\d+)?$`)

// parseAmount parses a number of a specification.
func parseAmount(text string) (quantity, bool) {
	text = strings.TrimSpace(text)
	if plainDecimal.MatchString(text) && len(text) <= maxNumeral {
		v, err := strconv.ParseFloat(strings.TrimPrefix(strings.Replace(text, "−", "-", 1), "+"), 64)
		return quantity{values: []float64{v}, scale: 1}, err == nil
	}
	all := quantities(text)
	if len(all) == 0 {
		return quantity{}, false
	}
	return all[0], true
}
