package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/api"
)

// ask asks a question on the server and prints the answer as it is written, with its sources below and, if they are
// wanted, its steps on standard error. It can't tell more of them.
func (r remote) ask(ctx context.Context, in questions.Asking, asJSON, steps, more bool) error {
	if more {
		return domain.Errorf(domain.Unsupported, "On a server, clew ask takes neither --compare-methods nor --technical.")
	}
	target := operation.ParseRoute("POST " + api.AskStream).Target(&in)
	delete(target.Body, "wait")
	var said strings.Builder
	var reply *questions.Reply
	err := r.do(ctx, target, "text/event-stream", func(body io.Reader) error {
		return eachEvent(body, func(name string, data []byte) error {
			switch name {
			case "token":
				var token struct{ Text string }
				err := json.Unmarshal(data, &token)
				said.WriteString(token.Text)
				if !asJSON {
					fmt.Fprint(r.env.stdout, token.Text)
				}
				return err
			case "answer":
				return json.Unmarshal(data, &reply)
			}
			return r.told(name, data, steps)
		})
	})
	switch {
	case err != nil:
		return err
	case reply == nil:
		return domain.Errorf(domain.Unavailable, "%s ended before the answer was written.", r.server)
	case reply.Status == ledger.MessageAsking:
		return domain.Errorf(domain.Conflict, "The question waits for you: clew run continue %s goes on, or its page.", reply.Run)
	case reply.Status != ledger.MessageDone:
		return domain.Errorf(domain.Unavailable, "The question was not answered: %s", cmp.Or(reply.Problem, "it was stopped."))
	case asJSON:
		return printJSON(r.env.stdout, reply)
	}
	return reply.PrintAfter(r.env.stdout, said.String())
}

// told prints what an event of a run tells besides words: its steps and how it went, if steps are wanted. It returns the
// error that an event brings.
func (r remote) told(name string, data []byte, steps bool) error {
	switch name {
	case "step":
		var step report.Told
		if err := json.Unmarshal(data, &step); err != nil || !steps {
			return err
		}
		step.Print(r.env.stderr)
	case "gist":
		var gist api.Gist
		if err := json.Unmarshal(data, &gist); err != nil || !steps {
			return err
		}
		fmt.Fprintln(r.env.stderr, gist.Said)
	case "error":
		var p api.Problem
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		return domain.Errorf(domain.Unavailable, "%s", p.Detail)
	}
	return nil
}

// follow follows a run on the server after the event of a number, and prints its steps if they are wanted. It returns the
// number of the event at which the run ended or began to wait for a person.
func (r remote) follow(ctx context.Context, run domain.RunID, after int, steps bool) (int, error) {
	target := operation.Target{Method: http.MethodGet, Path: strings.Replace(api.RunEvents, ":run", url.PathEscape(string(run)), 1)}
	headers := map[string]string{"Accept": "text/event-stream", "Last-Event-ID": strconv.Itoa(after)}
	err := r.send(ctx, target, headers, func(body io.Reader) error {
		return eachEvent(body, func(name string, data []byte) error {
			if name == "gist" {
				var gist api.Gist
				if err := json.Unmarshal(data, &gist); err != nil {
					return err
				}
				after = gist.After
			}
			return r.told(name, data, steps)
		})
	})
	return after, err
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
func (r remote) ingest(ctx context.Context, paths []string, in documents.Adding, asJSON, more bool) error {
	if more {
		return domain.Errorf(domain.Unsupported, "A server is sent files and folders of this machine, without --estimate, --ask, --separate and --new-version. Addresses are fetched by its page Documents.")
	}
	files, err := filesIn(paths)
	if err != nil {
		return err
	}
	all, failed := []documents.AddedFile{}, 0
	for _, file := range files {
		for _, one := range r.sendFile(ctx, file, in) {
			if one.Problem != "" {
				failed++
			}
			all = append(all, one)
			if !asJSON {
				fmt.Fprintf(r.env.stdout, "%s  %s\n", one.Name, cmp.Or(one.Problem, string(one.Status)))
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if asJSON {
		if err := printJSON(r.env.stdout, all); err != nil {
			return err
		}
	}
	if failed > 0 {
		return domain.Errorf(domain.Invalid, "%s of %d could not be read.", domain.Counted(failed, "document", "documents"), len(all))
	}
	return nil
}

// filesIn returns files, and those in folders that are not hidden.
func filesIn(paths []string) (files []string, err error) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return domain.Because(domain.NotFound, err, "%s can't be read: %v.", file, err)
			}
			if !d.IsDir() && (file == path || !strings.HasPrefix(d.Name(), ".")) {
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// sendFile sends a file and returns what became of it, and of the files within it.
func (r remote) sendFile(ctx context.Context, path string, in documents.Adding) []documents.AddedFile {
	in.Files = []operation.File{{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }}}
	in.Wait = documents.MaxWait
	var added documents.AddedFiles
	err := r.do(ctx, operation.ParseRoute(http.MethodPost+" /documents").Target(&in), "application/json", func(body io.Reader) error {
		return json.NewDecoder(body).Decode(&added)
	})
	if err != nil {
		return []documents.AddedFile{{Name: filepath.Base(path), Problem: domain.InWords(err)}}
	}
	return added.Documents
}
