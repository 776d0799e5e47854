// Package api serves the operations of a library to programs: as JSON under /api/v1, described by OpenAPI.
package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// MaxLimit is the most items on a page.
const MaxLimit = 200

const (
	limitField = "limit"
	usualLimit = 50     // default number of items per page
	maxOffset  = 10_000 // items before a page
)

// formMemory is how many bytes of a form's files are kept in memory and not on disk.
const formMemory = 1 << 20

// maxJSON is the maximum size in bytes of a JSON object. It is in memory several times while it is read, a file is not.
const maxJSON = 17_000_000

// QuestionHeader asks for the question that a command asks before it does something that can't be undone. The operation is
// not carried out then.
const QuestionHeader = "Clew-Question"

// An API serves operations.
type API struct {
	book    book
	routes  []route
	streams []stream
}

// route is an operation at an address.
type route struct {
	operation.Route
	row    operation.Row[struct{}]
	fields []operation.Field
	body   *huma.Schema // nil if there is none
	book   book
}

// New returns the API of operations. version is that of the program, and base what the addresses of the site begin with.
func New(rows []operation.Row[struct{}], version, base string) *API {
	a := &API{book: newBook(version)}
	a.book.Servers[0].URL = base + Root
	for _, row := range rows {
		for i, text := range row.Routes {
			r := operation.ParseRoute(text)
			a.routes = append(a.routes, route{r, row, sentFields(row), a.book.add(row, r, i > 0), a.book})
		}
	}
	a.book.unite()
	a.book.fill()
	for _, name := range a.book.tags() {
		a.book.Tags = append(a.book.Tags, &huma.Tag{Name: name})
	}
	return a
}

// Routes calls add for each route of the API with its method, its echo path, and whether it takes files.
func (a *API) Routes(add func(method, path string, files bool, h echo.HandlerFunc)) {
	for _, r := range a.routes {
		add(r.Method, Root+strings.NewReplacer("{", ":", "}", "").Replace(r.Path), slices.ContainsFunc(r.fields, isFile), r.serve)
	}
}

// Document serves the description of the API as OpenAPI 3.1.
func (a *API) Document(c echo.Context) error { return c.JSON(http.StatusOK, a.book.OpenAPI) }

// DocumentYAML serves it as YAML.
func (a *API) DocumentYAML(c echo.Context) error {
	text, err := a.book.YAML()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "application/yaml", text)
}

// OldDocument serves it as OpenAPI 3.0, for tools that read no newer one.
func (a *API) OldDocument(c echo.Context) error {
	text, err := a.book.Downgrade()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, text)
}

// serve carries out the operation of a request.
func (r route) serve(c echo.Context) error {
	ctx := c.Request().Context()
	audit.Did(ctx, r.row.Name) // in case it is refused
	if err := auth.Allow(ctx, r.row.Scope); err != nil {
		return err
	}
	in, page, err := r.read(c)
	defer dropFiles(c)
	if err != nil {
		return err
	}
	if r.row.Ask != nil && c.Request().Header.Get(QuestionHeader) != "" {
		question, err := r.row.Ask(ctx, struct{}{}, in)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]string{"question": question})
	}
	out, err := r.row.Do(ctx, struct{}{}, in)
	if err != nil {
		return err
	}
	return r.answer(c, out, page)
}

// dropFiles removes the files of a form that were too large for memory. The server does not: it knows the request from
// before it had a token.
func dropFiles(c echo.Context) {
	if form := c.Request().MultipartForm; form != nil {
		_ = form.RemoveAll() // the remaining files are temporary
	}
}

// page is the requested part of a list.
type page struct {
	offset, limit int
	from          string // cursorAfter, cursorOffset; "" if the operation also lists everything before the page
}

// The fields of operations from which on they list.
const (
	cursorAfter  = "after"  // id or place of the last item on the previous page
	cursorOffset = "offset" // number of items before the page
)

// sent is what a request gives an operation, by the names of its fields.
type sent struct {
	texts map[string][]string
	body  map[string]json.RawMessage
	files map[string][]*multipart.FileHeader
}

// read reads the input of the operation from the address, the query, and the body or form of a request.
func (r route) read(c echo.Context) (any, page, error) {
	in := reflect.New(r.row.In)
	given, err := r.given(c)
	if err != nil {
		return nil, page{}, err
	}
	if err := operation.Fill(in.Interface(), func(f operation.Field) []string { return r.values(f, given.texts[f.Name]) }); err != nil {
		if slices.ContainsFunc(r.fields, r.numbersPath) { // if a number is expected, an address with words does not exist
			return nil, page{}, echo.ErrNotFound
		}
		return nil, page{}, err
	}
	for _, f := range r.fields {
		to := in.Elem().FieldByIndex(f.Index)
		if raw, ok := given.body[f.Name]; ok {
			if err := json.Unmarshal(raw, to.Addr().Interface()); err != nil {
				return nil, page{}, &unfit{[]Wrong{{"body." + f.Name, "it does not have the type that the operation needs"}}}
			}
		}
		if isFile(f) {
			setFiles(to, given.files[f.Name])
		}
		_, sent := given.body[f.Name]
		zero := to.CanInt() && (sent || given.texts[f.Name] != nil)
		if missing := f.Needed && to.IsZero() && !zero; missing {
			return nil, page{}, &unfit{[]Wrong{{f.Name, "it is missing"}}}
		}
	}
	p, err := r.paged(c, in.Elem(), c.QueryParams())
	return in.Interface(), p, err
}

// numbersPath reports whether a field is a number in the path.
func (r route) numbersPath(f operation.Field) bool {
	return slices.Contains(r.Names, f.Name) && f.Type.Kind() != reflect.String && f.Type.Kind() != reflect.Slice
}

// given returns what a request gives the operation.
func (r route) given(c echo.Context) (sent, error) {
	g := sent{texts: map[string][]string{}}
	switch {
	case !r.HasBody():
		for name, values := range c.QueryParams() {
			if !slices.ContainsFunc(r.fields, func(f operation.Field) bool { return f.Name == name }) && name != "cursor" {
				return g, &unfit{[]Wrong{{"query." + name, "the operation has no such field"}}}
			}
			g.texts[name] = values
		}
	case slices.ContainsFunc(r.fields, isFile) && isForm(c):
		if err := c.Request().ParseMultipartForm(formMemory); err != nil {
			return g, unreadable(err)
		}
		g.texts, g.files = c.Request().MultipartForm.Value, c.Request().MultipartForm.File
	default:
		var err error
		if g.body, err = r.readBody(c); err != nil {
			return g, err
		}
	}
	for name, values := range g.texts {
		if slices.ContainsFunc(values, func(v string) bool { return !readable(v) }) {
			return g, &unfit{[]Wrong{{name, unreadableText}}}
		}
	}
	for _, name := range r.Names {
		value, err := url.PathUnescape(c.Param(name))
		if err != nil || !readable(value) {
			return g, echo.ErrNotFound
		}
		g.texts[name] = []string{value}
	}
	return g, nil
}

// readable reports whether a text is UTF-8 without NUL, which databases refuse.
func readable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// unreadableText says of a value that it is not readable.
const unreadableText = "it is not UTF-8, or it contains the character NUL"

// values returns the values of a field. Those of a list in the address have commas between them.
func (r route) values(f operation.Field, given []string) []string {
	if f.Several && slices.Contains(r.Names, f.Name) && len(given) == 1 {
		return strings.Split(given[0], ",")
	}
	return given
}

func isForm(c echo.Context) bool {
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	return kind == echo.MIMEMultipartForm
}

// setFiles sets a field to files that were sent.
func setFiles(to reflect.Value, sent []*multipart.FileHeader) {
	files := make([]operation.File, len(sent))
	for i, f := range sent {
		files[i] = operation.File{Name: nameOf(f), Open: func() (io.ReadCloser, error) { return f.Open() }}
	}
	if to.Kind() == reflect.Slice {
		to.Set(reflect.ValueOf(files))
	} else if len(files) > 0 {
		to.Set(reflect.ValueOf(files[0]))
	}
}

// nameOf returns the name of a sent file including its folders, which FileHeader.Filename lacks.
func nameOf(f *multipart.FileHeader) string {
	if name, _ := request.FileName(f.Header.Get("Content-Disposition")); filepath.IsLocal(name) && !strings.Contains(name, `\`) {
		return name
	}
	return path.Base(strings.ReplaceAll(f.Filename, `\`, "/"))
}

// unreadable returns the error of a body that can't be read.
func unreadable(err error) error {
	if problem := respond.ProblemOf(err); problem.Status != http.StatusInternalServerError {
		return err
	}
	return respond.BadRequest("The body of the request can't be read.")
}

// readBody reads a JSON object whose fields match the operation.
func (r route) readBody(c echo.Context) (map[string]json.RawMessage, error) {
	body, err := readAll(c)
	if err != nil {
		return nil, err
	}
	return fit(r.book, r.body, body)
}

// readAll reads a body that is JSON, or nothing.
func readAll(c echo.Context) ([]byte, error) {
	if c.Request().ContentLength > maxJSON {
		return nil, domain.Errorf(domain.TooLarge, "The JSON has %s, but at most %s are read. Send files as multipart/form-data.", format.Bytes(c.Request().ContentLength), format.Bytes(maxJSON))
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, maxJSON))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte("{}"), nil
	}
	if kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType)); kind != echo.MIMEApplicationJSON {
		return nil, domain.Errorf(domain.Unsupported, "Send JSON, with the header Content-Type: application/json.")
	}
	return body, nil
}

// fit returns the fields of a JSON object that fits a schema; nil takes no fields.
func fit(b book, schema *huma.Schema, body []byte) (map[string]json.RawMessage, error) {
	var sent any
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, respond.BadRequest("The body is not JSON: %s.", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, respond.BadRequest("The body is not a JSON object.")
	}
	if !utf8.Valid(body) || hasNUL(sent) {
		return nil, &unfit{[]Wrong{{"body", unreadableText}}}
	}
	if schema == nil {
		if len(fields) > 0 {
			return nil, &unfit{[]Wrong{{"body", "the operation takes no fields"}}}
		}
		return fields, nil
	}
	var found huma.ValidateResult
	at := huma.NewPathBuffer([]byte("body"), len("body"))
	huma.Validate(b.Components.Schemas, schema, at, huma.ModeWriteToServer, sent, &found)
	if len(found.Errors) == 0 {
		return fields, nil
	}
	u := &unfit{}
	for _, err := range found.Errors {
		if detail, ok := err.(*huma.ErrorDetail); ok { //nolint:errorlint // as huma makes them
			u.wrong = append(u.wrong, Wrong{detail.Location, detail.Message})
		}
	}
	return nil, u
}

// hasNUL reports whether a text in a JSON value has the character NUL.
func hasNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return !readable(v)
	case []any:
		return slices.ContainsFunc(v, hasNUL)
	case map[string]any:
		for _, one := range v {
			if hasNUL(one) {
				return true
			}
		}
	}
	return false
}

// paged makes the operation list the page of a cursor, plus one item that shows whether another page follows.
func (r route) paged(c echo.Context, in reflect.Value, query url.Values) (page, error) {
	if r.HasBody() || !r.row.Lists() || !limited(r.row) {
		return page{}, nil
	}
	if text(c) {
		return page{}, r.limited(in, maxOffset)
	}
	p := page{limit: usualLimit}
	if query.Has(limitField) {
		p.limit, _ = strconv.Atoi(query.Get(limitField)) // already read by Fill
		if p.limit < 1 || p.limit > MaxLimit {
			return p, &unfit{[]Wrong{{"query.limit", fmt.Sprintf("a page must have 1 to %d items", MaxLimit)}}}
		}
	}
	for _, f := range r.fields {
		if f.Name == cursorAfter || f.Name == cursorOffset {
			p.from = f.Name
		}
	}
	at, err := base64.RawURLEncoding.DecodeString(query.Get("cursor"))
	if err == nil && len(at) > 0 && p.from != cursorAfter {
		p.offset, err = strconv.Atoi(string(at))
	}
	if err != nil || !utf8.Valid(at) || p.offset < 0 || p.from == "" && p.offset > maxOffset {
		return p, &unfit{[]Wrong{{"query.cursor", "it is not the next value of a page"}}}
	}
	for _, f := range r.fields {
		to := in.FieldByIndex(f.Index)
		switch {
		case f.Name == limitField && p.from == "":
			to.SetInt(int64(p.offset + p.limit + 1))
		case f.Name == limitField:
			to.SetInt(int64(p.limit + 1))
		case f.Name == cursorAfter && len(at) > 0:
			to.SetString(string(at))
		case f.Name == cursorOffset && len(at) > 0:
			to.SetInt(int64(p.offset))
		case f.Name == cursorOffset:
			p.offset = max(0, int(to.Int()))
		}
	}
	return p, nil
}

// limited bounds the number of items of a list that is told in words. None is given as 0.
func (r route) limited(in reflect.Value, most int64) error {
	for _, f := range r.fields {
		if f.Name != limitField {
			continue
		}
		limit := in.FieldByIndex(f.Index)
		if limit.Int() < 0 || limit.Int() > most {
			return &unfit{[]Wrong{{"query.limit", fmt.Sprintf("a list has at most %d items", most)}}}
		}
		if limit.Int() == 0 {
			limit.SetInt(most)
		}
	}
	return nil
}

// text reports whether a client wants words for people, as commands print them.
func text(c echo.Context) bool {
	return strings.HasPrefix(c.Request().Header.Get(echo.HeaderAccept), echo.MIMETextPlain)
}

// list is a page of a list as JSON.
type list struct {
	Items any    `json:"items"`
	Next  string `json:"next,omitempty"`
	Total *int   `json:"total,omitempty"`

	Counts any `json:"counts,omitempty"` // in place of items
}

// answer sends the output of an operation.
func (r route) answer(c echo.Context, out any, p page) error {
	if made, ok := out.(operation.Made); ok {
		h := c.Response().Header()
		h.Set(echo.HeaderContentType, made.Type)
		h.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(made.Name)}))
		err := made.Write(c.Response())
		if err != nil && c.Response().Committed { // only a dropped connection shows that the file is incomplete
			panic(http.ErrAbortHandler)
		}
		return err
	}
	if text(c) {
		var said bytes.Buffer
		if err := r.row.Text(&said, out); err != nil {
			return err
		}
		return c.Blob(http.StatusOK, echo.MIMETextPlainCharsetUTF8, said.Bytes())
	}
	if _, none := out.(operation.Nothing); none {
		return c.NoContent(http.StatusNoContent)
	}
	status := http.StatusOK
	if begun, ok := out.(operation.Begun); ok && begun.At() != "" {
		status = http.StatusAccepted
		c.Response().Header().Set(echo.HeaderLocation, link.Mounted(c.Request().Context(), Root+begun.At()))
	}
	if r.row.Lists() {
		out = r.page(c, out, p)
	}
	var b bytes.Buffer
	plain := json.NewEncoder(&b)
	plain.SetEscapeHTML(false) // it is not embedded in pages
	if err := plain.Encode(operation.Filled(out)); err != nil {
		return err
	}
	body := bytes.TrimSpace(b.Bytes())
	if r.Method == http.MethodGet {
		sum := sha256.Sum256(body)
		tag := `"` + hex.EncodeToString(sum[:12]) + `"`
		c.Response().Header().Set("ETag", tag)
		c.Response().Header().Set("Cache-Control", "private, no-cache")
		if slices.Contains(strings.Split(strings.ReplaceAll(c.Request().Header.Get("If-None-Match"), " ", ""), ","), tag) {
			return c.NoContent(http.StatusNotModified)
		}
	}
	return c.JSONBlob(status, body)
}

// page returns the items of a page with the cursor of the next one, which it also puts in the Link header.
func (r route) page(c echo.Context, out any, p page) list {
	l := list{Items: out}
	if array, ok := out.(interface{ Array() any }); ok {
		l.Items = array.Array()
	}
	if total := reflect.ValueOf(out); total.Kind() == reflect.Struct {
		if f := total.FieldByName("Total"); f.IsValid() && f.Kind() == reflect.Int {
			n := int(f.Int())
			l.Total = &n
		}
	}
	items := reflect.ValueOf(l.Items)
	if items.Kind() == reflect.Map {
		return list{Items: []struct{}{}, Counts: l.Items}
	}
	if items.IsNil() {
		l.Items = []struct{}{}
		return l
	}
	if p.limit == 0 {
		return l
	}
	begin := p.offset
	if p.from != "" { // the operation skips the items before the page
		begin = 0
	}
	if end := begin + p.limit; items.Len() > end {
		next := strconv.Itoa(p.offset + p.limit)
		if p.from == cursorAfter {
			next = placeOf(items.Index(end - 1))
		}
		l.Next = base64.RawURLEncoding.EncodeToString([]byte(next))
		query := c.QueryParams()
		query.Del(cursorAfter)
		query.Set("cursor", l.Next)
		c.Response().Header().Set("Link", "<"+c.Request().URL.Path+"?"+query.Encode()+`>; rel="next"`)
	}
	l.Items = items.Slice(min(begin, items.Len()), min(begin+p.limit, items.Len())).Interface()
	return l
}

// placeOf returns the place of an item of a list, after which the next page begins: its id, unless another field is tagged.
func placeOf(item reflect.Value) (id string) {
	for i, t := 0, item.Type(); i < t.NumField(); i++ {
		tag := t.Field(i).Tag
		if tag.Get("cursor") == cursorAfter {
			return item.Field(i).String()
		}
		if name, _, _ := strings.Cut(tag.Get("json"), ","); name == "id" {
			id = item.Field(i).String()
		}
	}
	return id
}
