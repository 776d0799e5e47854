package api

import (
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

// Root is the path prefix of the API.
const Root = "/api/v1"

// schemas is the prefix of references to schemas.
const schemas = "#/components/schemas/"

// book describes operations as OpenAPI.
type book struct {
	*huma.OpenAPI
}

func newBook(version string) book {
	api := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Clew", Version: version,
			Description: "Everything that can be done with a library. Send a token: `Authorization: Bearer clew_…`. Errors are `application/problem+json`. " +
				"Lists are `{items, next}`; send `next` as `cursor` for what follows.",
		},
		Servers: []*huma.Server{{URL: Root}},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry(schemas, schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
		},
	}
	api.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[json.Number](), reflect.TypeFor[float64]())
	api.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[costs.Money](), reflect.TypeFor[float64]())
	api.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[extract.Once](), reflect.TypeFor[bool]())
	return book{api}
}

// schemaName names the schema of a type after its package and itself: types of several packages have the same name.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	name, _, generic := strings.Cut(t.Name(), "[")
	if name == "" || generic {
		return huma.DefaultSchemaNamer(t, hint)
	}
	pkg, name := format.Capital(path.Base(t.PkgPath())), format.Capital(name)
	if pkg == "" || strings.HasPrefix(name, pkg) || strings.HasPrefix(name, strings.TrimSuffix(pkg, "s")) {
		return name
	}
	return pkg + name
}

// schema returns the schema of a type.
func (b book) schema(t reflect.Type, hint string) *huma.Schema {
	return b.Components.Schemas.Schema(t, true, hint)
}

// field returns the schema of an input's field.
func (b book) field(f operation.Field) *huma.Schema {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := *b.schema(t, f.Name)
	s.Nullable = false
	s.Description = plain(f.Doc)
	if t == reflect.TypeFor[operation.Wait]() {
		least, most := 0.0, float64(operation.MaxWait)
		s.Minimum, s.Maximum = &least, &most
	}
	switch n, err := strconv.ParseFloat(f.Default, 64); {
	case f.Default == "":
	case t.Kind() == reflect.Bool:
		s.Default = f.Default == "true"
	case t.Kind() == reflect.String:
		s.Default = f.Default
	case err == nil:
		s.Default = n
	}
	return &s
}

// plain returns the description of a field without the marks of the name of its value.
func plain(doc string) string { return strings.NewReplacer("{", "", "}", "").Replace(doc) }

// add describes an operation at one of its routes, and returns the schema of its body, or nil if it has none.
func (b book) add(row operation.Row[struct{}], r operation.Route, second bool) *huma.Schema {
	scopes := []string{}
	if row.Scope != operation.Any {
		scopes = append(scopes, string(row.Scope))
	}
	op := &huma.Operation{
		OperationID: strings.ReplaceAll(row.Name, " ", "-"), Method: r.Method, Path: r.Path, Summary: row.Short, Tags: []string{tag(r)},
		Security: []map[string][]string{{"token": scopes}}, Responses: b.responses(row),
		Extensions: map[string]any{"x-command": "clew " + row.Name},
	}
	if second {
		op.OperationID += "-" + strings.ToLower(r.Method)
	}
	b.AddOperation(op)
	body, files := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}, false
	for _, f := range sentFields(row) {
		if slices.Contains(r.Names, f.Name) {
			op.Parameters = append(op.Parameters, &huma.Param{Name: f.Name, In: "path", Required: true, Description: plain(f.Doc), Schema: &huma.Schema{Type: huma.TypeString}})
			continue
		}
		if isFile(f) {
			files = true
			one := &huma.Schema{Type: huma.TypeString, ContentEncoding: "binary", Format: "binary", Description: plain(f.Doc)}
			if f.Several {
				one = &huma.Schema{Type: huma.TypeArray, Items: one}
			}
			body.Properties[f.Name] = one
			continue
		}
		s := b.field(f)
		if r.HasBody() {
			body.Properties[f.Name] = s
			if f.Needed {
				body.Required = append(body.Required, f.Name)
			}
		} else {
			op.Parameters = append(op.Parameters, &huma.Param{Name: f.Name, In: "query", Required: f.Needed, Description: s.Description, Schema: s, Explode: explode(s)})
		}
	}
	if row.Lists() && limited(row) && !r.HasBody() {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "cursor", In: "query", Description: "next of the previous page", Schema: &huma.Schema{Type: huma.TypeString}})
	}
	if r.HasBody() && !files {
		op.Parameters = append(op.Parameters, &huma.Param{Name: repeatHeader, In: "header", Description: "repeats of the request within a day get the first answer again", Schema: &huma.Schema{Type: huma.TypeString}})
	}
	if !r.HasBody() || len(body.Properties) == 0 {
		return nil
	}
	kind := echo.MIMEApplicationJSON
	if files {
		kind = echo.MIMEMultipartForm
	}
	content := map[string]*huma.MediaType{kind: {Schema: b.named(typeName(op.OperationID)+"Body", body)}}
	op.RequestBody = &huma.RequestBody{Content: content, Required: len(body.Required) > 0}
	body.PrecomputeMessages()
	return body
}

// fill describes arrays as never null, which they are in answers.
func (b book) fill() {
	var visit func(*huma.Schema)
	visit = func(s *huma.Schema) {
		if s == nil {
			return
		}
		if s.Type == huma.TypeArray {
			s.Nullable = false
		}
		visit(s.Items)
		for _, of := range s.Properties {
			visit(of)
		}
		if of, ok := s.AdditionalProperties.(*huma.Schema); ok {
			visit(of)
		}
	}
	for _, s := range b.Components.Schemas.Map() {
		visit(s)
	}
}

// problem describes the response of whatever fails.
func (b book) problem() *huma.Response {
	return &huma.Response{Description: "An error", Content: map[string]*huma.MediaType{problemType: {Schema: b.schema(reflect.TypeFor[Problem](), "Problem")}}}
}

// named adds a schema under a name, by which generated clients call its type, and returns a reference to it.
func (b book) named(name string, s *huma.Schema) *huma.Schema {
	b.Components.Schemas.Map()[name] = s
	return &huma.Schema{Ref: schemas + name}
}

// typeName returns the words of an operation's name as the name of a type.
func typeName(words string) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ' ' || r == '-' }) {
		name.WriteString(format.Capital(word))
	}
	return name.String()
}

// sentFields returns the fields of an operation's input that programs send.
func sentFields(row operation.Row[struct{}]) []operation.Field {
	return slices.DeleteFunc(operation.Fields(row.In), func(f operation.Field) bool { return f.To })
}

func explode(s *huma.Schema) *bool {
	if s.Type != huma.TypeArray {
		return nil
	}
	yes := true
	return &yes
}

func isFile(f operation.Field) bool {
	return f.Type == reflect.TypeFor[operation.File]() || f.Type == reflect.TypeFor[[]operation.File]()
}

// tag returns the group of a route: the first part of its path.
func tag(r operation.Route) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	return first
}

// limited reports whether a list takes a limit, so that it can be read page by page.
func limited(row operation.Row[struct{}]) bool {
	return slices.ContainsFunc(operation.Fields(row.In), func(f operation.Field) bool { return f.Name == limitField && f.Type.Kind() == reflect.Int })
}

// responses describes the responses of an operation.
func (b book) responses(row operation.Row[struct{}]) map[string]*huma.Response {
	all := map[string]*huma.Response{"default": b.problem()}
	switch row.Out {
	case reflect.TypeFor[operation.Nothing]():
		all["204"] = &huma.Response{Description: "Done"}
		return all
	case reflect.TypeFor[operation.Made]():
		all["200"] = &huma.Response{Description: "The file", Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}
		return all
	}
	name := typeName(row.Name)
	var schema *huma.Schema
	if !row.Lists() {
		schema = b.schema(row.Out, name)
	} else {
		schema = b.named(name+"Page", &huma.Schema{Type: huma.TypeObject, Required: []string{"items"}, Properties: map[string]*huma.Schema{
			"items":  {Type: huma.TypeArray, Items: b.schema(itemsOf(row.Out), name+"Item")},
			"next":   {Type: huma.TypeString, Description: "cursor of the next page; absent on the last"},
			"total":  {Type: huma.TypeInteger, Description: "total number, if known"},
			"counts": {Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeInteger}, Description: "numbers by name, in place of items"},
		}})
	}
	all["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	if row.Begins() {
		all["202"] = &huma.Response{Description: "Begun; Location is where to see how it goes", Content: all["200"].Content}
	}
	return all
}

// itemsOf returns the type of the items of a list.
func itemsOf(out reflect.Type) reflect.Type {
	if list, ok := reflect.TypeAssert[interface{ Array() any }](reflect.Zero(out)); ok {
		return reflect.TypeOf(list.Array()).Elem()
	}
	return out.Elem()
}

// tags returns the groups of all operations, by name.
func (b book) tags() []string {
	names := map[string]bool{}
	for _, item := range b.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				names[op.Tags[0]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
