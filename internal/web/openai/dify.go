package openai

import (
	"encoding/json"
	"net/http"

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
