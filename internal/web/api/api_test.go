package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// tower is a service for tests.
type tower struct{}

type bell struct {
	Name  string `json:"name"`
	Notes []int  `json:"notes"`
}

type ringing struct {
	Bells  []string       `json:"bells" arg:"BELL..." doc:"which {BELLS}"`
	Times  int            `json:"times" default:"2" doc:"how often"`
	Loud   *bool          `json:"loud" doc:"with all strength"`
	Number int            `json:"number" arg:"[NUMBER]"`
	Sheet  operation.File `json:"sheet"`
}

type wanted struct {
	Limit int    `json:"limit" default:"3" doc:"at most so many"`
	Like  string `json:"like"`
}

type numbered struct {
	Number int `json:"number" arg:"NUMBER"`
}

// ring says what it was given.
func (tower) ring(_ context.Context, in ringing) (bell, error) {
	said := fmt.Sprintf("%s %d", strings.Join(in.Bells, "+"), in.Times)
	if in.Loud != nil {
		said += fmt.Sprint(" ", *in.Loud)
	}
	if in.Sheet.Open != nil {
		f, err := in.Sheet.Open()
		if err != nil {
			return bell{}, err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		said += " " + in.Sheet.Name + ":" + string(text)
		return bell{Name: said}, err
	}
	return bell{Name: said}, nil
}

func (tower) list(_ context.Context, in wanted) (operation.Page[bell], error) {
	p := operation.Page[bell]{Items: []bell{}, Total: 7}
	for i := range min(7, in.Limit) {
		p.Items = append(p.Items, bell{Name: fmt.Sprintf("%s%d", in.Like, i)})
	}
	return p, nil
}

func rows() []operation.Row[struct{}] {
	all := operation.On(func(struct{}) tower { return tower{} }, []operation.Operation[tower]{
		operation.Op[tower, ringing, bell]{
			Name: "bells ring", Scope: operation.Ask, Routes: []string{"POST /bells/ring", "POST /bells/{bells}/ring"}, Do: tower.ring,
			Ask:  func(_ tower, _ context.Context, in ringing) (string, error) { return "Ring " + in.Bells[0] + "?", nil },
			Text: operation.Line(func(b bell) string { return "Rang " + b.Name + "." }),
		},
		operation.Op[tower, wanted, operation.Page[bell]]{Name: "bells list", Scope: operation.Read, Routes: []string{"GET /bells"}, Do: tower.list},
		operation.Op[tower, numbered, bell]{Name: "bells show", Scope: operation.Read, Routes: []string{"GET /bells/{number}"}, Do: func(_ tower, _ context.Context, in numbered) (bell, error) {
			switch in.Number {
			case 1:
				return bell{}, domain.TooManyf(1500e6, "Later.")
			case 2:
				return bell{}, domain.Cappedf(0, "The cap of a day is reached.")
			case 3:
				return bell{}, fmt.Errorf("secret of the tower")
			}
			return bell{}, domain.Errorf(domain.NotFound, "There is no bell %d here.", in.Number)
		}},
		operation.Op[tower, struct{}, operation.Nothing]{Name: "bells stop", Scope: operation.Ask, Routes: []string{"DELETE /bells"}, Do: func(tower, context.Context, struct{}) (none operation.Nothing, err error) {
			return none, nil
		}},
		operation.Op[tower, struct{}, operation.Made]{Name: "bells draw", Scope: operation.Read, Routes: []string{"GET /drawing"}, Do: func(tower, context.Context, struct{}) (operation.Made, error) {
			return operation.Made{Name: "a/bells.svg", Type: "image/svg+xml", Write: func(w io.Writer) error {
				_, err := io.WriteString(w, "<svg/>")
				return err
			}}, nil
		}},
	})
	return all
}

// server serves the rows to a program that may read and ask.
func server() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { _ = Fail(c, err) }
	x := auth.Access{Token: ledger.Token{Scopes: []string{string(operation.Read), string(operation.Ask)}}}
	New(rows(), "1", "").Routes(func(method, path string, _ bool, h echo.HandlerFunc) {
		e.Add(method, path, func(c echo.Context) error {
			if c.Request().Header.Get("X-Reader") != "" {
				x := auth.Access{Token: ledger.Token{Prefix: "clew_R", Scopes: []string{string(operation.Read)}}}
				c.SetRequest(c.Request().WithContext(auth.WithAccess(c.Request().Context(), x)))
				return h(c)
			}
			c.SetRequest(c.Request().WithContext(auth.WithAccess(c.Request().Context(), x)))
			return h(c)
		})
	})
	return e
}

func TestRequestsAreCarriedOut(t *testing.T) {
	t.Parallel()
	site := server()
	for _, tt := range []struct {
		name, request, body string
		header              string
		status              int
		want                string
	}{
		{"a body", "POST /bells/ring", `{"bells":["Maud","Ida"],"loud":true}`, "", 200, `{"name":"Maud+Ida 2 true","notes":[]}`},
		{"a path", "POST /bells/Maud,Id%61%2Fb/ring", `{"times":3}`, "", 200, `{"name":"Maud+Ida/b 3","notes":[]}`},
		{"no body", "POST /bells/Maud/ring", ``, "", 200, `{"name":"Maud 2","notes":[]}`},
		{"as text", "POST /bells/Maud/ring", ``, "Accept: text/plain", 200, "Rang Maud 2.\n"},
		{"the question", "POST /bells/Maud/ring", ``, "Clew-Question: 1", 200, `{"question":"Ring Maud?"}`},
		{"something missing", "POST /bells/ring", `{}`, "", 422, `"location":"body","message":"expected required property bells to be present"`},
		{"an unknown field", "POST /bells/ring", `{"bells":["M"],"x":1}`, "", 422, `body.x: unexpected property.`},
		{"another type", "POST /bells/ring", `{"bells":"M"}`, "", 422, `"body.bells"`},
		{"no JSON", "POST /bells/ring", `{`, "", 400, `The body is not JSON`},
		{"no object", "POST /bells/ring", `[1]`, "", 400, `not a JSON object`},
		{"a form", "POST /bells/ring", `a=b`, "Content-Type: application/x-www-form-urlencoded", 415, `Content-Type: application/json`},
		{"a page", "GET /bells?limit=3&like=b", "", "", 200, `{"items":[{"name":"b0","notes":[]},{"name":"b1","notes":[]},{"name":"b2","notes":[]}],"next":"Mw","total":7}`},
		{"the next", "GET /bells?limit=3&cursor=Mw", "", "", 200, `{"items":[{"name":"3","notes":[]},{"name":"4","notes":[]},{"name":"5","notes":[]}],"next":"Ng","total":7}`},
		{"the last", "GET /bells?limit=3&cursor=Ng", "", "", 200, `{"items":[{"name":"6","notes":[]}],"total":7}`},
		{"no cursor", "GET /bells?cursor=x", "", "", 422, `query.cursor`},
		{"a large page", "GET /bells?limit=201", "", "", 422, `query.limit`},
		{"an unknown parameter", "GET /bells?names=x", "", "", 422, `query.names`},
		{"a number in words", "GET /bells/first", "", "", 404, `"status":404`},
		{"what is not there", "GET /bells/9", "", "", 404, `There is no bell 9 here.`},
		{"too often", "GET /bells/1", "", "", 429, `Later.`},
		{"a cap", "GET /bells/2", "", "", 402, `The cap of a day is reached.`},
		{"an internal error", "GET /bells/3", "", "", 500, `An internal error occurred`},
		{"nothing to say", "DELETE /bells", "", "", 204, ``},
		{"a file", "GET /drawing", "", "", 200, `<svg/>`},
		{"no route", "GET /towers", "", "", 404, `/api/v1/openapi.json`},
		{"no scope", "DELETE /bells", "", "X-Reader: 1", 403, `lacks the scope ask`},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		r := httptest.NewRequestWithContext(t.Context(), method, Root+path, strings.NewReader(tt.body))
		r.Header.Set("Content-Type", "application/json")
		if name, value, ok := strings.Cut(tt.header, ": "); ok {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: status %d, %s; want %d, %s", tt.name, w.Code, w.Body, tt.status, tt.want)
		}
		if kind := w.Header().Get("Content-Type"); tt.status >= 400 && kind != problemType {
			t.Errorf("%s: an error as %s", tt.name, kind)
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %s", tt.name, w.Body)
		}
	}
}

func TestHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	site := server()
	get := func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Root+path, nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w
	}
	first := get("/bells?limit=2&like=b")
	if link := first.Header().Get("Link"); link != `</api/v1/bells?cursor=Mg&like=b&limit=2>; rel="next"` {
		t.Errorf("Link: %s", link)
	}
	tag := first.Header().Get("ETag")
	if again := get("/bells?limit=2&like=b", "If-None-Match", `"x", `+tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("what has not changed: %d, %s", again.Code, again.Body)
	}
	if changed := get("/bells?limit=2&like=c", "If-None-Match", tag); changed.Code != http.StatusOK {
		t.Errorf("what has changed: %d", changed.Code)
	}
	if after := get("/bells/1").Header().Get("Retry-After"); after != "2" {
		t.Errorf("Retry-After: %s", after)
	}
	if file := get("/drawing"); file.Header().Get("Content-Type") != "image/svg+xml" || file.Header().Get("Content-Disposition") != `attachment; filename=bells.svg` {
		t.Errorf("a file: %v", file.Header())
	}
}

func TestFilesAreSentAsAForm(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("bells", "Maud")
	_ = form.WriteField("times", "5")
	part, err := form.CreateFormFile("sheet", `C:\music\round.txt`)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, "1234"+strings.Repeat(" ", 2*formMemory)) // on disk
	_ = form.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Root+"/bells/ring", &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	server().ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Maud 5 round.txt:1234  ") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

func TestJSONIsNotAsLargeAsFiles(t *testing.T) {
	t.Parallel()
	body := `{"bells":["` + strings.Repeat("m", maxJSON) + `"]}`
	for length, says := range map[int64]string{int64(len(body)): "The JSON has 17 MB, but at most 17 MB are read. Send files as multipart/form-data.", -1: "The request is larger than 17 MB"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Root+"/bells/ring", strings.NewReader(body))
		r.ContentLength = length
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server().ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%d bytes: status %d, %.200s", length, w.Code, w.Body)
		}
	}
}

func TestTheDocumentDescribesRoutes(t *testing.T) {
	t.Parallel()
	e := echo.New()
	w := httptest.NewRecorder()
	if err := New(rows(), "1", "").Document(e.NewContext(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), w)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Tags        []string
			Security    []map[string][]string
			Parameters  []struct {
				Name, In string
				Required bool
			}
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
			Responses map[string]any
		}
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]struct {
					Description string
					Default     any
				}
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	ring := doc.Paths["/bells/ring"]["post"]
	form := doc.Components.Schemas[strings.TrimPrefix(ring.RequestBody.Content["multipart/form-data"].Schema.Ref, schemas)]
	if doc.OpenAPI != "3.1.0" || ring.OperationID != "bells-ring" || ring.Security[0]["token"][0] != "ask" || !slices.Equal(ring.Tags, []string{"bells"}) ||
		!slices.Equal(form.Required, []string{"bells"}) || form.Properties["times"].Default != 2.0 || form.Properties["bells"].Description != "which BELLS" {
		t.Errorf("ringing is described as %+v", ring)
	}
	list := doc.Paths["/bells"]["get"]
	if len(list.Parameters) != 3 || list.Parameters[2].Name != "cursor" || list.Responses["200"] == nil || list.Responses["default"] == nil {
		t.Errorf("the list is described as %+v", list)
	}
	if doc.Paths["/bells"]["delete"].Responses["204"] == nil || doc.Paths["/bells/{bells}/ring"]["post"].OperationID != "bells-ring-post" {
		t.Errorf("paths are %v", doc.Paths)
	}
}
