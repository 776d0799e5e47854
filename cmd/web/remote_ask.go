package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
)

// ask asks a question on the server and prints the answer as it is written, with its sources below and, if they are
// wanted, its steps on standard error. It can't tell more of them.
func (r remote) ask(ctx context.Context, in questions.Asking, asJSON, steps, more bool) error {
	if more {
		return domain.Errorf(domain.Unsupported, "On a server, clew ask takes neither --compare-methods nor --technical.")
	}
	in.Wait = 0
	t := &teller{env: r.env, asJSON: asJSON, steps: steps}
	reply, err := seenThrough(ctx, r, rowNamed("ask"), &in, t)
	if err != nil {
		return err
	}
	return t.print(rowNamed("ask"), reply)
}

// follow follows a run on the server after the event of a number, and prints its steps if they are wanted. It returns the
// number of the event at which the run ended or began to wait for a person.
func (r remote) follow(ctx context.Context, run domain.RunID, after int, steps bool) (int, error) {
	t := &teller{env: r.env, steps: steps}
	for news, err := range r.news(ctx, run, after) {
		if err != nil {
			return after, err
		}
		t.trace(news)
		for _, e := range news.Events {
			after = e.Seq
		}
	}
	if ctx.Err() != nil {
		return after, stopped()
	}
	return after, nil
}

// maxEvent is the most bytes of an event that is read.
const maxEvent = 16 << 20

// eachEvent calls f for each of the server-sent events of a body.
func eachEvent(body io.Reader, f func(name string, data []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	name, data := "", []byte(nil)
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			if name != "" {
				if err := f(name, data); err != nil {
					return err
				}
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "event":
			name = value
		case "data":
			data = append(data, value...)
		}
	}
	return lines.Err()
}

// ingest sends files, and those in folders, to the server one after the other, and waits until each is read. It can do nothing more with them.
func (r remote) ingest(ctx context.Context, paths []string, in documents.Adding, traced, asJSON, more bool) (err error) {
	if more {
		return domain.Errorf(domain.Unsupported, "A server is sent files and folders of this machine, without --estimate and --ask. Addresses are fetched by its page Documents.")
	}
	files, others, err := expand(paths)
	if err != nil {
		return err
	}
	if err := r.inWorkspace(ctx); err != nil {
		return err
	}
	r.env.leftOut(others)
	list := &jsonList{out: r.env.stdout}
	if asJSON {
		defer func() { err = errors.Join(err, list.end()) }()
	}
	var traces waits
	failed, all := 0, 0
	for _, from := range files {
		for _, one := range r.sendFile(ctx, from, in) {
			result, err := r.read(ctx, one, traced && !one.kept && one.id != "" && traces.traces(r.env, one.Document))
			if err != nil {
				return err
			}
			if all++; !result.read() {
				failed++
			}
			if !asJSON {
				r.env.printIngested(result)
			} else if err := list.add(result); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return notRead(failed, all)
}

// sendFile sends a file and returns what becomes of it, and of the files within it.
func (r remote) sendFile(ctx context.Context, from found, in documents.Adding) (list []ingested) {
	name := from.name
	file, err := os.Open(from.path)
	if err != nil {
		return []ingested{refused(name, domain.Because(domain.NotFound, err, "The file can't be read: %v.", err))}
	}
	defer file.Close()
	in.Files = []operation.File{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(file), nil }}}
	var added documents.AddedFiles
	err = r.do(ctx, operation.ParseRoute(http.MethodPost+" /documents").Target(&in), "application/json", func(body io.Reader) error {
		return json.NewDecoder(body).Decode(&added)
	})
	if err != nil {
		return []ingested{refused(name, err)}
	}
	for _, one := range added.Documents {
		if one.ID == "" {
			list = append(list, ingested{Document: one.Name, Status: string(domain.DocumentFailed), Warnings: []string{}, Problem: one.Problem})
			continue
		}
		added := ingested{Document: one.Name, id: one.ID, run: one.Run, kept: one.Existing, become: one.Of}
		if one.Of != "" {
			added.note = nextVersion
		}
		list = append(list, added)
	}
	return list
}

// read waits until a document has been read on the server, and prints the steps of that if they are wanted.
func (r remote) read(ctx context.Context, one ingested, steps bool) (ingested, error) {
	if one.id == "" {
		return one, nil
	}
	if one.run != "" {
		if _, err := r.follow(ctx, one.run, 0, steps); err != nil && domain.KindOf(err) != domain.NotFound { // if it was read long ago, its run may be gone
			return one, err
		}
	}
	doc, err := r.document(ctx, string(one.id))
	if domain.KindOf(err) == domain.NotFound && one.become != "" {
		doc, err = r.document(ctx, string(one.become))
	}
	if err != nil {
		return one, err
	}
	if one.kept {
		one.named(doc.Name)
	}
	one.noteRead(doc)
	return one, nil
}

// document returns a document of the server, by name or id.
func (r remote) document(ctx context.Context, name string) (doc domain.Document, err error) {
	err = r.do(ctx, operation.ParseRoute("GET /documents/{document}").Target(&documents.One{Name: name}), "application/json", func(body io.Reader) error {
		return json.NewDecoder(body).Decode(&doc)
	})
	return doc, err
}
