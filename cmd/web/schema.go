package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// schemaOperator stands for whoever saves a schema by a command.
const schemaOperator = "clew schema"

// schemaDesk is where schemas are worked on.
func (a *app) schemaDesk() schemas.Desk {
	return schemas.Desk{Service: a.schemas, Documents: a.documents}
}

// chooseSchema returns the name under which a schema is kept that can be chosen for
// documents. A YAML file is kept under its own name.
func (a *app) chooseSchema(ctx context.Context, chosen string) (string, error) {
	ending := filepath.Ext(chosen)
	if ending != ".yaml" && ending != ".yml" {
		return a.schemas.Choose(ctx, domain.WorkspaceOf(ctx), chosen, schemaOperator)
	}
	data, err := readFile(chosen, nil, schemas.MaxYAML)
	if err != nil {
		return "", err
	}
	g, err := schemas.Read(data)
	if err != nil {
		return "", err
	}
	name, err := schemas.Name(strings.TrimSuffix(filepath.Base(chosen), ending))
	if err != nil {
		return "", err
	}
	return name, a.schemas.Keep(ctx, domain.WorkspaceOf(ctx), name, g, schemaOperator, "From "+filepath.Base(chosen))
}

func schemaApplyCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var given schemas.Applying
	var of schemas.Of
	asJSON, queue := false, false
	cmd := &cobra.Command{
		Use: "apply", Short: "Read again what the schemas in use change",
		Long: `Print the bill, and read again each document that the schemas in force would
change. Of these, a model is asked only for the chunks that it may read
otherwise. The command shows how far it is and ends with the last document. If a
clew serve or clew work runs on the same stores, that one reads, and goes on with
it when this command is stopped.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.onDesk(cmd, load, schemaOperator, func(ctx context.Context, d desk) error {
				t := &teller{env: s, asJSON: asJSON}
				bill, err := operated[schemas.Bill](ctx, d, "schema apply", map[string]string{"dry": strconv.FormatBool(given.Dry)}, t)
				if err == nil {
					err = t.print(rowNamed("schema apply"), bill)
				}
				if err != nil || given.Dry || len(bill.Queued) == 0 {
					return err
				}
				return d.readAgain(ctx, bill.Queued, reading{queue, asJSON})
			})
		},
	}
	flagsOf(cmd, &given)
	flagsOf(cmd, &of)
	cmd.Flags().BoolVar(&queue, "queue", false, "queue the documents and leave them to a clew serve or clew work")
	jsonFlag(cmd, &asJSON, jsonObject)
	return onServer(cmd)
}

// reading describes how documents that a command has queued are read.
type reading struct {
	queue  bool // leave them to another process
	asJSON bool // print nothing
}

// What a command prints of who reads what it has queued.
const (
	othersRead = "Another process reads them, and continues if this command is stopped."
	nobodyYet  = "They wait for clew serve or clew work; neither is running."
	readsHere  = "Neither clew serve nor clew work is running, so this command reads them."
)

// readAgain follows documents that are queued, and reads them unless another process does.
func (l *local) readAgain(ctx context.Context, ids []domain.DocumentID, how reading) (err error) {
	a := l.app
	others, err := a.others(ctx)
	if err != nil {
		return err
	}
	say := func(line string) {
		if !how.asJSON {
			fmt.Fprintln(a.env.stdout, line)
		}
	}
	switch {
	case others:
		say(othersRead)
	case how.queue:
		say(nobodyYet)
	default:
		say(readsHere)
		worker := a.worker(a.kinds().Concurrency(documents.Kind))
		if err := worker.Start(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	}
	if how.queue {
		return nil
	}
	var waiting waits
	follow := func(id domain.DocumentID) (ingested, error) {
		d, err := a.ledger.Document(ctx, domain.WorkspaceOf(ctx), id)
		if err != nil {
			return ingested{}, err
		}
		return a.follow(ctx, ingested{Document: d.Name, id: d.ID, run: d.Run}, !how.asJSON, &waiting)
	}
	return errors.Join(a.env.followAll(ids, how, follow), a.followUp(ctx))
}

// readAgain follows documents that the server reads.
func (r remote) readAgain(ctx context.Context, ids []domain.DocumentID, how reading) error {
	if !how.asJSON {
		fmt.Fprintln(r.env.stdout, othersRead)
	}
	if how.queue {
		return nil
	}
	return r.env.followAll(ids, how, func(id domain.DocumentID) (ingested, error) {
		d, err := r.document(ctx, string(id))
		if err != nil {
			return ingested{}, err
		}
		return r.read(ctx, ingested{Document: d.Name, id: d.ID, run: d.Run}, false)
	})
}

// followAll prints the progress of documents until the last one has been read. It skips a document that is deleted
// meanwhile.
func (s env) followAll(ids []domain.DocumentID, how reading, follow func(domain.DocumentID) (ingested, error)) error {
	failed := 0
	for i, id := range ids {
		result, err := follow(id)
		if domain.KindOf(err) == domain.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if !result.read() {
			failed++
		}
		if how.asJSON {
			continue
		}
		result.Document = fmt.Sprintf("%d of %d: %s", i+1, len(ids), result.Document)
		s.printIngested(result)
	}
	return notRead(failed, len(ids))
}
