package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// A remote is a server on which commands are carried out, in place of the library on this machine.
type remote struct {
	server string
	token  func() (string, error)
	env    env

	workspace *wanted // nil during the comparison
}

// The settings that name a server and a token; flags go before them. CLEW_TOKEN_FILE is the path of a file with the token.
const (
	serverSetting = "CLEW_SERVER"
	tokenSetting  = "CLEW_TOKEN"
	fileSuffix    = "_FILE"
)

// serverFlags adds the flags that name a server and a token to all commands.
func serverFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.String("server", "", "address of a Clew on which the command is carried out (or CLEW_SERVER)")
	flags.String("token", "", "token for that server (or CLEW_TOKEN); other people on this machine can see it, so prefer the setting or a file")
	flags.String("token-file", "", "file that holds the token, or - for the first line of standard input (or CLEW_TOKEN_FILE)")
	root.MarkFlagsMutuallyExclusive("token", "token-file")
}

// remoteOf returns the server that flags or the environment name, and whether they do.
func remoteOf(cmd *cobra.Command, s env) (remote, bool) {
	set := map[string]string{}
	for _, setting := range s.environ {
		name, value, _ := strings.Cut(setting, "=")
		set[name] = value
	}
	server := set[serverSetting]
	if f := cmd.Flag("server"); f != nil && f.Changed { // --server= means this machine, whatever the setting
		server = f.Value.String()
	}
	workspace := set[workspaceSetting]
	if f := cmd.Flag(workspaceFlag); f != nil && f.Changed {
		workspace = f.Value.String()
	}
	token, file := flagValue(cmd, "token"), flagValue(cmd, "token-file")
	if token == "" && file == "" {
		token, file = set[tokenSetting], set[tokenSetting+fileSuffix]
	}
	return remote{
		server: strings.TrimRight(server, "/"), token: sync.OnceValues(func() (string, error) { return s.tokenFrom(token, file) }), env: s,
		workspace: &wanted{name: workspace},
	}, server != ""
}

func flagValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// tokenFrom returns a token, or what is in the file with it.
func (s env) tokenFrom(token, file string) (string, error) {
	if token == "" && file != "" {
		text, err := readFile(file, oneLine{s.stdin}, maxKey)
		if err != nil {
			return "", domain.Because(domain.KindOf(err), err, "The token can't be read: %s", domain.InWords(err))
		}
		token = string(text)
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return "", domain.Errorf(domain.Unauthorized, "A server needs a token: set %s, or name a file with --token-file. It is made there on the page Tokens, or with clew token create.", tokenSetting)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", domain.Errorf(domain.Unauthorized, "The token has characters that no token has. Copy it again: it begins with clew_ and is one word.")
	}
	return token, nil
}

// oneLine reads the first line of a reader, and leaves what follows.
type oneLine struct{ from io.Reader }

// Read implements io.Reader.
func (l oneLine) Read(p []byte) (int, error) {
	n, err := io.ReadAtLeast(l.from, p[:1], 1)
	if err == nil && p[0] == '\n' {
		return 0, io.EOF
	}
	return n, err
}

// How a command takes --server: it is carried out on the server, or it needs no library.
const (
	carriesRemote = "remote"
	needsNone     = "needs no library"
	hereAlone     = "here alone" // followed by the reason
)

// here marks a command that works on this machine alone, for a reason.
func here(cmd *cobra.Command, why string) *cobra.Command {
	cmd.Annotations = map[string]string{hereAlone: why}
	return cmd
}

// withoutLibrary marks a command that needs no library: it does the same with a server and without.
func withoutLibrary(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{needsNone: "yes"}
	return cmd
}

// onServer marks a command that is carried out on the server that is named.
func onServer(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{carriesRemote: "yes"}
	return cmd
}

// refuseServer is the check of commands that work on the library of this machine.
func refuseServer(s env) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		_, named := remoteOf(cmd, s)
		if !named || cmd.Annotations[carriesRemote] != "" || cmd.Annotations[needsNone] != "" || ofCobra(cmd) {
			return nil
		}
		return domain.Errorf(domain.Unsupported, "%s works on this machine alone: %s Run it without --server and %s, or with an empty --server=.", cmd.CommandPath(), cmd.Annotations[hereAlone], serverSetting)
	}
}

// ofCobra reports whether a command is one that cobra adds to every program.
func ofCobra(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		if cmd.Name() == "help" || cmd.Name() == "completion" || strings.HasPrefix(cmd.Name(), "__complete") {
			return true
		}
	}
	return false
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
	if row.Waits || row.Out.Implements(reflect.TypeFor[operation.Finding]()) {
		t := &teller{env: r.env, asJSON: asJSON}
		out, err := seenThrough(ctx, r, row, in, t)
		if err != nil {
			return err
		}
		return cmp.Or(t.print(row, out), wrong(out, nil))
	}
	switch {
	case asJSON && row.Lists():
		return r.printList(ctx, route.Target(in), in)
	case asJSON:
		return r.do(ctx, route.Target(in), "application/json", func(body io.Reader) error { return indented(r.env.stdout, body) })
	case row.Out == reflect.TypeFor[operation.Made]():
		return r.do(ctx, route.Target(in), "*/*", func(body io.Reader) error {
			return writeFile(cmp.Or(destination(in), text(field(in, "file")), "-"), r.env.stdout, func(w io.Writer) error {
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
		filled := !slices.ContainsFunc(r.Names, func(name string) bool { return empty(field(in, name)) })
		if filled && (chosen.Path == "" || chosen.Method == http.MethodGet && len(r.Target(in).Body) > 0) {
			chosen = r
		}
	}
	if chosen.Path == "" {
		chosen = operation.ParseRoute(row.Routes[0])
	}
	return chosen
}

func empty(v any) bool {
	of := reflect.ValueOf(v)
	return of.Kind() == reflect.Slice && of.Len() == 0 || of.IsZero()
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

			Counts json.RawMessage `json:"counts"`
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
		if page.Counts != nil {
			return printJSON(r.env.stdout, page.Counts)
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
