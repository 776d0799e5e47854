package main

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
)

// TestOperationsWhoseCommandsAreWrittenByHand carries out, as programs do, what commands do while they print.
func TestOperationsWhoseCommandsAreWrittenByHand(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	a := sh.app(t)
	ctx := domain.WithWorkspace(domain.WithPerson(t.Context(), "ada"), domain.DefaultWorkspace)

	health := carriedOut[maintenance.Health](ctx, t, a, "doctor", nil)
	if !health.OK || len(health.Stores) != 3 || health.Stores[0].Problem != "" || health.Queue.Failed != 0 || health.Check != nil {
		t.Errorf("health: %+v", health)
	}
	check := carriedOut[maintenance.Started](ctx, t, a, "fsck", map[string]string{"repair": "true"})
	if check.At() != "/runs/"+string(check.Run) || check.Status != domain.RunWaiting {
		t.Errorf("check: %+v", check)
	}
	if again := carriedOut[maintenance.Started](ctx, t, a, "fsck", nil); again.Run != check.Run {
		t.Errorf("a second check was started: %+v", again)
	}
	rebuild := carriedOut[maintenance.Started](ctx, t, a, "rebuild", map[string]string{"store": "graph"})
	sum := carriedOut[summaries.Summed](ctx, t, a, "summarize", map[string]string{"documents": "bridge.md", "length": "short", "token_max": "300"})
	if sum.At() != "/summaries/"+string(sum.ID) || sum.TokenMax != 300 || sum.Length != "short" {
		t.Errorf("summary: %+v", sum)
	}
	worker := a.worker(a.kinds().Concurrency())
	noError(t, worker.Start(ctx))
	for _, run := range []domain.RunID{check.Run, rebuild.Run, sum.Run} {
		a.finishes(t, run)
	}
	noError(t, worker.Stop(ctx))
	if last := carriedOut[maintenance.Result](ctx, t, a, "fsck last", nil); len(last.Found) != 0 {
		t.Errorf("the check found %+v", last)
	}
	if sum = carriedOut[summaries.Summed](ctx, t, a, "summaries show", map[string]string{"summary": string(sum.ID)}); sum.At() != "" || len(sum.Citations) == 0 || sum.Citations[0].Address == "" {
		t.Errorf("summary: %+v", sum)
	}

	if tests := carriedOut[llm.Checks](ctx, t, a, "model test", nil); len(tests) != 1 || !tests[0].None {
		t.Errorf("without a model, the test says %+v", tests)
	}
	if again := carriedOut[documents.Rereading](ctx, t, a, "model again", map[string]string{"bill": "true"}); again.Documents != 0 || again.Queued == nil {
		t.Errorf("read again: %+v", again)
	}
	guided := carriedOut[schemas.Guided](ctx, t, a, "documents schema", map[string]string{"document": "bridge.md", "schema": schemas.Templates()[0].Name})
	if guided.By.Number != 0 || guided.Next.Number == 0 {
		t.Errorf("guided by %+v", guided)
	}
	if bill := carriedOut[schemas.Bill](ctx, t, a, "schema apply", map[string]string{"dry": "true"}); bill.Of == 0 || bill.Queued != nil {
		t.Errorf("the bill is %+v", bill)
	}
	var archive bytes.Buffer
	noError(t, carriedOut[operation.Made](ctx, t, a, "backup", nil).Write(&archive))
	if archive.Len() == 0 {
		t.Error("the backup is empty")
	}

	noError(t, a.Close())
	if out := sh.must(t, "documents", "guided", "bridge.md"); !strings.Contains(out, "was read with no schema.\nWhen it is read again: version 1") {
		t.Errorf("guided prints %q", out)
	}
	if out := sh.must(t, "documents", "passages", "bridge.md"); !strings.Contains(out, "Velm Bridge") {
		t.Errorf("passages prints %q", out)
	}
	if out := sh.must(t, "documents", "estimate", foundryFile, file(t, t.TempDir(), "new.txt", "Agnes Lovibond taught arithmetic.")); !strings.Contains(out, "in the library already") ||
		!strings.Contains(out, "in all") {
		t.Errorf("estimate prints %q", out)
	}
	if out := sh.must(t, "schema", "export", "--name", schemas.Templates()[0].Name, "-"); !strings.Contains(out, "schema:") {
		t.Errorf("export prints %q", out)
	}
}

// carriedOut carries out the operation of a name with the fields that are given.
func carriedOut[Out any](ctx context.Context, t *testing.T, a *app, name string, given map[string]string) Out {
	t.Helper()
	for _, o := range offers() {
		for _, row := range o.rows {
			if row.Name != name {
				continue
			}
			in := reflect.New(row.In)
			noError(t, operation.Fill(in.Interface(), func(f operation.Field) []string {
				if v, ok := given[f.Name]; ok {
					return []string{v}
				}
				return nil
			}))
			out, err := row.Do(ctx, a, in.Interface())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return out.(Out)
		}
	}
	t.Fatalf("there is no operation %s", name)
	panic("unreachable")
}
