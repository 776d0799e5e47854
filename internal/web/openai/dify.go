package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/respond"
)

// DifyPath is where Dify finds passages, when it has the library as an external knowledge base.
const DifyPath = "/dify/retrieval"

// maxRecords is the most passages that are found for Dify.
const maxRecords = 50

// Retrieve finds passages by Dify's protocol for external knowledge.
func (s *Service) Retrieve(c echo.Context) error {
	if err := auth.Allow(c.Request().Context(), operation.Read); err != nil {
		return err
	}
	var in struct {
		Query   string `json:"query"`
		Setting struct {
			TopK      int     `json:"top_k"`
			Threshold float64 `json:"score_threshold"`
		} `json:"retrieval_setting"`
		Condition condition `json:"metadata_condition"`
	}
	if err := json.NewDecoder(c.Request().Body).Decode(&in); err != nil {
		return respond.BadRequest("The body is not a request for passages: %s.", unread(err))
	}
	if in.Query == "" {
		return domain.Errorf(domain.Invalid, "The query is empty.")
	}
	limit := 5
	if in.Setting.TopK > 0 {
		limit = min(in.Setting.TopK, maxRecords)
	}
	within, err := in.Condition.within()
	if err != nil {
		return err
	}
	found, err := s.Asker.Search(c.Request().Context(), questions.Searching{Text: in.Query, Within: within, Limit: limit})
	if err != nil {
		return err
	}
	type record struct {
		Content  string         `json:"content"`
		Score    float64        `json:"score"`
		Title    string         `json:"title"`
		Metadata map[string]any `json:"metadata"`
	}
	records := []record{}
	for _, f := range found {
		if f.Score >= in.Setting.Threshold {
			records = append(records, record{f.Text, f.Score, f.Document, map[string]any{"passage": f.Chunk, "document_id": f.DocumentID, "page": f.Page, "start": f.Start, "end": f.End}})
		}
	}
	return c.JSON(http.StatusOK, map[string]any{"records": records})
}

// condition is Dify's filter on the documents that are searched.
type condition struct {
	Operator   string `json:"logical_operator"`
	Conditions []struct {
		Name     fields `json:"name"`
		Operator string `json:"comparison_operator"`
		Value    any    `json:"value"`
	} `json:"conditions"`
}

// fields is a name, or a list of names.
type fields []string

// UnmarshalJSON implements json.Unmarshaler.
func (f *fields) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err == nil {
		*f = fields{name}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(f))
}

// fieldTerms are the kinds of term of the fields that must be something. The field date has its own.
var fieldTerms = map[string]string{"name": "doc", "language": "lang", "collection": "tag", "author": "author", "source": "source"}

// maxConditions is the most conditions of a request.
const maxConditions = 20

// within returns the search terms with the meaning of a condition. Terms of one kind widen a search and those of
// several narrow it, so that other combinations are refused.
func (c condition) within() ([]string, error) {
	if len(c.Conditions) > maxConditions {
		return nil, domain.Errorf(domain.Invalid, "There are %d conditions; at most %d can be given.", len(c.Conditions), maxConditions)
	}
	either := c.Operator == "or"
	if !either && c.Operator != "" && c.Operator != "and" {
		return nil, domain.Errorf(domain.Invalid, "logical_operator is %q, but should be and, or or.", c.Operator)
	}
	var terms, kinds []string
	for _, one := range c.Conditions {
		if len(one.Name) != 1 {
			return nil, domain.Errorf(domain.Unsupported, "A condition must have one name.")
		}
		value, _ := one.Value.(string)
		kind, term, err := termOf(one.Name[0], one.Operator, value)
		if err != nil {
			return nil, err
		}
		same := slices.Contains(kinds, kind)
		if len(kinds) > 0 && (same != either || either && kind != kinds[0] || either && (kind == "from" || kind == "to")) {
			return nil, domain.Errorf(domain.Unsupported, "Conditions on one field can be joined by or, and those on several by and; others are not supported.")
		}
		terms, kinds = append(terms, term), append(kinds, kind)
	}
	return terms, nil
}

// termOf returns the term of one condition, and its kind.
func termOf(field, operator, value string) (kind, term string, err error) {
	if field == "date" {
		return dateTerm(operator, value)
	}
	kind, known := fieldTerms[field]
	switch {
	case !known:
		return "", "", domain.Errorf(domain.Unsupported, "Conditions can't use the field %q. Use name, date, language, collection, author or source.", field)
	case operator != "is" && operator != "=":
		return "", "", domain.Errorf(domain.Unsupported, "A condition on %s can't be %q: take is.", field, operator)
	case value == "":
		return "", "", domain.Errorf(domain.Invalid, "The condition on %s needs a text as value.", field)
	}
	return kind, kind + ":" + value, nil
}

// dateTerm returns the term of a condition on the day on which documents were added.
func dateTerm(operator, value string) (kind, term string, err error) {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil {
		return "", "", domain.Errorf(domain.Invalid, "The condition on date has the value %q, but needs a day such as 2024-01-31.", value)
	}
	shift := 0
	switch operator {
	case "after", ">":
		kind, shift = "from", 1
	case "≥", ">=":
		kind = "from"
	case "before", "<":
		kind, shift = "to", -1
	case "≤", "<=":
		kind = "to"
	default:
		return "", "", domain.Errorf(domain.Unsupported, "A condition on date can't be %q: take before, after, ≤ or ≥.", operator)
	}
	return kind, kind + ":" + day.AddDate(0, 0, shift).Format(time.DateOnly), nil
}
