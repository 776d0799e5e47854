package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/respond"
)

// A remote is a server on which commands are carried out, in place of the library on this machine.
type remote struct {
	server, token string
	env           env
}

// The settings that name a server and a token; flags go before them.
const (
	serverSetting = "CLEW_SERVER"
	tokenSetting  = "CLEW_TOKEN"
)

// remoteOf returns the server that flags or the environment name, and whether they do.
func remoteOf(cmd *cobra.Command, s env) (remote, bool) {
	r := remote{env: s}
	for _, setting := range s.environ {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case serverSetting:
			r.server = value
		case tokenSetting:
			r.token = value
		}
	}
	r.server = strings.TrimRight(cmp.Or(flagValue(cmd, "server"), r.server), "/")
	r.token = cmp.Or(flagValue(cmd, "token"), r.token)
	return r, r.server != ""
}

func flagValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// carriesRemote marks commands that can be carried out on a server.
const carriesRemote = "remote"

// refuseServer is the check of commands that work on this machine alone.
func refuseServer(s env) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if _, ok := remoteOf(cmd, s); ok && cmd.Annotations[carriesRemote] == "" && cmd.Flag("server").Changed {
			return domain.Errorf(domain.Unsupported, "%s works on the library of this machine alone. Run it there, without --server.", cmd.CommandPath())
		}
		return nil
	}
}

// carryOut carries out an operation on the server, and prints what the command prints on the library's own machine.
func (r remote) carryOut(ctx context.Context, row operation.Row[*app], in any, yes, asJSON bool) error {
	if len(row.Routes) == 0 {
		return domain.Errorf(domain.Unsupported, "clew %s can't be done on a server. %s", row.Name, row.Apart)
	}
	route := routeFor(row, in)
	if row.Ask != nil && !yes {
		if agreed, err := r.agreed(ctx, route.Target(in)); err != nil || !agreed {
			return err
		}
	}
	switch {
	case asJSON && row.Lists():
		return r.printList(ctx, route.Target(in), in)
	case asJSON:
		return r.do(ctx, route.Target(in), "application/json", func(body io.Reader) error { return indented(r.env.stdout, body) })
	case row.Out == reflect.TypeFor[operation.Made]():
		return r.do(ctx, route.Target(in), "*/*", func(body io.Reader) error {
			return writeFile(cmp.Or(text(field(in, "file")), "-"), r.env.stdout, func(w io.Writer) error {
				_, err := io.Copy(w, body)
				return err
			})
		})
	}
	return r.do(ctx, route.Target(in), "text/plain", func(body io.Reader) error {
		_, err := io.Copy(r.env.stdout, body)
		return err
	})
}

// routeFor returns the route whose path the input fills: one that sends what changes something before one that looks.
func routeFor(row operation.Row[*app], in any) operation.Route {
	var chosen operation.Route
	for _, text := range row.Routes {
		r := operation.ParseRoute(text)
		filled := !slices.ContainsFunc(r.Names, func(name string) bool { return reflect.ValueOf(field(in, name)).IsZero() })
		if filled && (chosen.Path == "" || chosen.Method == http.MethodGet && len(r.Target(in).Body) > 0) {
			chosen = r
		}
	}
	if chosen.Path == "" {
		chosen = operation.ParseRoute(row.Routes[0])
	}
	return chosen
}

// field returns a field of an input, by its name in JSON, or nil if it has none.
func field(in any, name string) any {
	of := reflect.ValueOf(in).Elem()
	for _, f := range operation.Fields(of.Type()) {
		if f.Name == name {
			return of.FieldByIndex(f.Index).Interface()
		}
	}
	return nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// agreed asks the question that the server has before it does something, and reports whether the answer is yes.
func (r remote) agreed(ctx context.Context, t operation.Target) (bool, error) {
	var asked struct {
		Question string `json:"question"`
	}
	err := r.send(ctx, t, map[string]string{api.QuestionHeader: "1"}, func(body io.Reader) error { return json.NewDecoder(body).Decode(&asked) })
	if err != nil || asked.Question == "" {
		return err == nil, err
	}
	return r.env.said(asked.Question)
}

// printList prints the items of all pages of a list, as far as they are wanted.
func (r remote) printList(ctx context.Context, t operation.Target, in any) error {
	items := []json.RawMessage{}
	limit, limited := field(in, "limit").(int)
	for {
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next"`
		}
		if limited && t.Method == http.MethodGet {
			size := api.MaxLimit
			if limit > 0 {
				size = min(size, limit-len(items))
			}
			t.Query.Set("limit", strconv.Itoa(size))
		}
		if err := r.do(ctx, t, "application/json", func(body io.Reader) error { return json.NewDecoder(body).Decode(&page) }); err != nil {
			return err
		}
		items = append(items, page.Items...)
		if page.Next == "" || limit > 0 && len(items) >= limit {
			return printJSON(r.env.stdout, items)
		}
		t.Query.Set("cursor", page.Next)
	}
}

// do sends a request and reads the body of its answer in a form.
func (r remote) do(ctx context.Context, t operation.Target, form string, read func(io.Reader) error) error {
	return r.send(ctx, t, map[string]string{"Accept": form}, read)
}

func (r remote) send(ctx context.Context, t operation.Target, headers map[string]string, read func(io.Reader) error) error {
	address, err := url.Parse(r.server)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return domain.Errorf(domain.Invalid, "%q is not the address of a server, such as https://clew.example.org.", r.server)
	}
	if r.token == "" {
		return domain.Errorf(domain.Unauthorized, "A server needs a token: --token or %s. It is made on the page of your account there, or with clew token create.", tokenSetting)
	}
	body, kind := encoded(t)
	at := r.server + api.Root + t.Path
	if len(t.Query) > 0 {
		at += "?" + t.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, t.Method, at, body)
	if err != nil {
		return domain.Because(domain.Invalid, err, "%q is not the address of a server.", r.server)
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return domain.Because(domain.Unavailable, err, "%s does not answer: %v.", r.server, errors.Unwrap(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return answeredBy(r.server, answer)
	}
	if answer.StatusCode == http.StatusNoContent {
		return nil
	}
	return read(bufio.NewReader(answer.Body))
}

// maxProblem is the most bytes that are read of an error.
const maxProblem = 64 << 10

// answeredBy returns the error that a server answered with.
func answeredBy(server string, answer *http.Response) error {
	var p api.Problem
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&p); err != nil || p.Detail == "" {
		return domain.Errorf(domain.Unavailable, "%s answers %s: is it a Clew of this version?", server, answer.Status)
	}
	return domain.Errorf(respond.KindOf(answer.StatusCode), "%s", p.Detail)
}

// encoded returns the body of a request and its media type. Files are sent as they are read.
func encoded(t operation.Target) (io.Reader, string) {
	if len(t.Files) == 0 {
		if len(t.Body) == 0 {
			return nil, ""
		}
		b, err := json.Marshal(t.Body)
		if err != nil {
			return unread{err}, "application/json"
		}
		return bytes.NewReader(b), "application/json"
	}
	body, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() { to.CloseWithError(writeForm(form, t)) }()
	return body, form.FormDataContentType()
}

// unread is a body that can't be made.
type unread struct{ err error }

// Read implements io.Reader.
func (f unread) Read([]byte) (int, error) { return 0, f.err }

func writeForm(form *multipart.Writer, t operation.Target) error {
	for name, values := range t.Form() {
		for _, value := range values {
			if err := form.WriteField(name, value); err != nil {
				return err
			}
		}
	}
	for name, files := range t.Files {
		for _, f := range files {
			if err := writePart(form, name, f); err != nil {
				return err
			}
		}
	}
	return form.Close()
}

func writePart(form *multipart.Writer, name string, f operation.File) error {
	part, err := form.CreateFormFile(name, f.Name)
	if err != nil {
		return err
	}
	file, err := f.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(part, file)
	return err
}

// indented prints JSON as --json does.
func indented(out io.Writer, body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return printJSON(out, json.RawMessage(text))
}
