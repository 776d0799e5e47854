package neo4j

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// row is a record that is read value by value. A value of an unexpected type,
// which only outside interference can cause, reads as the zero value.
type row struct {
	values []any
	at     *int
}

func (r row) next() any {
	*r.at++
	return r.values[*r.at-1]
}

func (r row) text() string {
	s, _ := r.next().(string)
	return s
}

func (r row) bytes() []byte {
	b, _ := r.next().([]byte)
	return b
}

func (r row) int() int { return int(r.int64()) }

func (r row) int64() int64 {
	n, _ := r.next().(int64)
	return n
}

func (r row) bool() bool {
	b, _ := r.next().(bool)
	return b
}

func (r row) list() []any {
	l, _ := r.next().([]any)
	return l
}

// each calls take with each list in a list of lists.
func (r row) each(take func(row)) {
	for _, part := range r.list() {
		if values, ok := part.([]any); ok {
			take(row{values: values, at: new(int)})
		}
	}
}

func (r row) texts() []string {
	var all []string
	for _, v := range r.list() {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// spans reads pairs of start and end.
func (r row) spans() []domain.Span {
	l := r.list()
	var spans []domain.Span
	for i := 0; i+1 < len(l); i += 2 {
		start, _ := l[i].(int64)
		end, _ := l[i+1].(int64)
		spans = append(spans, domain.Span{Start: int(start), End: int(end)})
	}
	return spans
}

func spanList(spans []domain.Span) []int {
	list := make([]int, 0, 2*len(spans))
	for _, s := range spans {
		list = append(list, s.Start, s.End)
	}
	return list
}

// decode decodes JSON written by toJSON.
func (r row) decode(into any) error {
	text := r.text()
	if text == "" {
		return errors.New("the graph was changed by another program: a value is missing")
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("the graph was changed by another program: %w", err)
	}
	return nil
}

// decodeAny decodes JSON that may be missing: earlier versions wrote none.
func (r row) decodeAny(into any) error {
	if r.values[*r.at] == nil {
		r.next()
		return nil
	}
	return r.decode(into)
}

// toJSON encodes v, which can't fail for the types we store.
func toJSON(v any) string {
	b, _ := json.Marshal(v) //nolint:errchkjson // slices of structs of strings and numbers
	return string(b)
}
