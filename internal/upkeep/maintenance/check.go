package maintenance

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// CheckState is the state of a check.
type CheckState struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Repair    bool               `json:"repair"`
	Pass      int                `json:"pass"` // from 0; the second checks the repairs
	Ledger    []Group            `json:"ledger"`
	Files     []Group            `json:"files"`
	Stores    []Group            `json:"stores"`
	Unsure    string             `json:"unsure"`
	Mended    []Group            `json:"mended"`
}

// all returns all findings.
func (s CheckState) all() []Group { return slices.Concat(s.Files, s.Ledger, s.Stores) }

// mendable reports whether some finding can be repaired.
func (s CheckState) mendable() bool {
	return slices.ContainsFunc(s.all(), func(g Group) bool { return g.Problem.Mendable() })
}

// The labels of the edges after the comparison.
const (
	toMend   = "repair"
	toReport = "tell"
)

type (
	checkUpdate  = state.Update[CheckState]
	checkContext = stategraph.Context
)

func (svc *Service) checkKind() run.Kind {
	k := svc.kind(CheckKind, "Check of the stores", func(ctx context.Context, a *run.Attempt, o Order) error {
		_, err := run.Graph(ctx, a, svc.check, CheckState{Workspace: a.Workspace, Repair: o.Repair})
		return err
	})
	k.Topology = svc.check.Topology()
	return k
}

// checker has the nodes of a check.
type checker struct {
	*Service
	pass                          state.ReplaceField[CheckState, int]
	ledger, files, stores, mended state.ReplaceField[CheckState, []Group]
	unsure                        state.ReplaceField[CheckState, string]
}

// checkGraph returns start → ledger → files → stores → report → end. A repair goes from stores through mend back to ledger,
// once.
func checkGraph(svc *Service) (stategraph.Runnable[CheckState], error) {
	schema := state.NewSchema[CheckState](1)
	c := checker{
		Service: svc,
		pass:    state.Replace(schema, "pass", func(s *CheckState) *int { return &s.Pass }),
		ledger:  state.Replace(schema, "ledger", func(s *CheckState) *[]Group { return &s.Ledger }),
		files:   state.Replace(schema, "files", func(s *CheckState) *[]Group { return &s.Files }),
		stores:  state.Replace(schema, "stores", func(s *CheckState) *[]Group { return &s.Stores }),
		mended:  state.Replace(schema, "mended", func(s *CheckState) *[]Group { return &s.Mended }),
		unsure:  state.Replace(schema, "unsure", func(s *CheckState) *string { return &s.Unsure }),
	}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("check", schema)
	b.Node("ledger", c.checkLedger, reads(), writes(c.ledger))
	b.Node("files", c.checkFiles, reads(), writes(c.files))
	b.Node("stores", c.checkStores, reads(), writes(c.stores, c.unsure))
	b.Node("mend", c.mend, reads(c.pass, c.ledger, c.files, c.stores), writes(c.pass, c.mended))
	b.Node("report", c.report, reads(c.ledger, c.files, c.stores, c.mended, c.unsure), writes())
	b.Edge(stategraph.Start, "ledger")
	b.Edge("ledger", "files")
	b.Edge("files", "stores")
	b.Branch("stores", "findings", func(_ *checkContext, s CheckState) (stategraph.Route[CheckState], error) {
		if s.Repair && s.Pass == 0 && s.mendable() {
			return stategraph.Choose[CheckState](toMend), nil
		}
		return stategraph.Choose[CheckState](toReport), nil
	}, stategraph.Case{Label: toMend, Target: "mend"}, stategraph.Case{Label: toReport, Target: "report"})
	b.Edge("mend", "ledger")
	b.Edge("report", stategraph.End)
	return compile(svc, b)
}

func (c checker) checkLedger(ctx *checkContext, s CheckState) (checkUpdate, error) {
	found, err := findInLedger(ctx, c.DB, s.Workspace, c.Now())
	if err != nil {
		return checkUpdate{}, err
	}
	rows, err := findInRows(ctx, c.DB, c.Now())
	if err != nil {
		return checkUpdate{}, err
	}
	broken, err := c.Ledger.CheckAudit(ctx)
	if err != nil {
		return checkUpdate{}, err
	}
	if broken != "" {
		rows.add(TrailBroken, broken)
	}
	return c.ledger.Set(noteFindings(ctx, found.Join(rows).Groups())), nil
}

func (c checker) checkFiles(ctx *checkContext, s CheckState) (checkUpdate, error) {
	found, err := findInFiles(ctx, c.DB, s.Workspace, c.Files, c.Now(), func(done, total int) {
		if done%100 == 0 || done == total {
			ctx.Emit(domain.EventProgress, domain.Progress{Done: done, Total: total})
		}
	})
	if err != nil {
		return checkUpdate{}, err
	}
	return c.files.Set(noteFindings(ctx, found.Groups())), nil
}

func (c checker) checkStores(ctx *checkContext, s CheckState) (checkUpdate, error) {
	graph, err := findInPages(ctx, c.Projector.Graph, GraphDamaged)
	if err != nil {
		return checkUpdate{}, err
	}
	vectors, err := findInPages(ctx, c.Projector.Vectors, VectorsDamaged)
	if err != nil {
		return checkUpdate{}, err
	}
	if damaged := graph.Join(vectors); len(damaged) > 0 { // comparing them would fail, or be meaningless
		return c.stores.Set(noteFindings(ctx, damaged.Groups())), nil
	}
	found, unsure, err := c.compare(ctx, s.Workspace)
	if err != nil {
		return checkUpdate{}, err
	}
	return state.Merge(c.stores.Set(noteFindings(ctx, found.Groups())), c.unsure.Set(unsure)), nil
}

// noteFindings records the findings on the step, for the run's page.
func noteFindings(ctx *checkContext, groups []Group) []Group {
	for _, g := range groups {
		ctx.Emit(domain.EventNote, domain.Note{Text: g.String()})
	}
	return groups
}

// mend repairs what can be repaired: a store that differs is rebuilt.
func (c checker) mend(ctx *checkContext, s CheckState) (checkUpdate, error) {
	stores := map[StoreName]bool{}
	for _, g := range s.all() {
		stores[g.Problem.Store()] = stores[g.Problem.Store()] || g.Problem.Mendable()
	}
	if stores[InLedger] {
		if err := c.mendLedger(ctx, s.Workspace); err != nil {
			return checkUpdate{}, err
		}
	}
	if stores[InFiles] {
		if err := c.mendFiles(ctx, s.Workspace); err != nil {
			return checkUpdate{}, err
		}
	}
	if err := c.Projector.Reset(ctx, s.Workspace, projection.Stores{Graph: stores[InGraph], Vectors: stores[InVectors]}); err != nil {
		return checkUpdate{}, err
	}
	if err := c.fill(ctx, c.Projector, s.Workspace); err != nil {
		return checkUpdate{}, err
	}
	return state.Merge(c.pass.Set(s.Pass+1), c.mended.Set(s.all())), nil
}

func (c checker) mendLedger(ctx *checkContext, ws domain.WorkspaceID) error {
	if _, err := c.Library.Recover(ctx, ws); err != nil {
		return err
	}
	found, err := findInLedger(ctx, c.DB, ws, c.Now())
	if err != nil {
		return err
	}
	for _, id := range found[DocumentUnheard] {
		if _, err := c.Ledger.Publish(ctx, ws, domain.DocumentID(id)); err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
	}
	rows, err := findInRows(ctx, c.DB, c.Now())
	if err != nil {
		return err
	}
	for _, id := range rows[ThreadWithoutRun] {
		if err := c.Threads.Delete(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) mendFiles(ctx *checkContext, ws domain.WorkspaceID) error {
	found, err := findInFiles(ctx, c.DB, ws, c.Files, c.Now(), nil)
	if err != nil {
		return err
	}
	for _, hash := range found[FileWithoutOwner] {
		if err := c.Files.Remove(ctx, ws, hash); err != nil {
			return err
		}
	}
	return nil
}

// report stores the result for the page. Findings that are gone after a repair count as repaired.
func (c checker) report(ctx *checkContext, s CheckState) (checkUpdate, error) {
	r := Result{At: c.Now().UTC(), Found: s.all(), Mended: []Group{}, Unsure: s.Unsure}
	for _, g := range s.Mended {
		if !slices.ContainsFunc(r.Found, func(left Group) bool { return left.Problem == g.Problem }) {
			r.Mended = append(r.Mended, g)
		}
	}
	return checkUpdate{}, c.Ledger.EncodeSetting(ctx, s.Workspace, lastCheck, r)
}

// A pagedStore keeps a file that can contradict itself.
type pagedStore interface {
	Damage(ctx context.Context) ([]string, error)
}

// findInPages finds what contradicts itself in the file of a store, if it has one.
func findInPages(ctx context.Context, store any, p Problem) (Found, error) {
	paged, ok := store.(pagedStore)
	if !ok {
		return Found{}, nil
	}
	damage, err := paged.Damage(ctx)
	if err != nil || len(damage) == 0 {
		return Found{}, err
	}
	return Found{p: damage}, nil
}

// findInFiles checks that every document has the files of its versions and pictures, that the file's content
// matches its checksum, and that every file has a document. It reports its progress
// to progress after each document, unless that is nil.
func findInFiles(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, files Files, now time.Time, progress func(done, total int)) (Found, error) {
	type owner struct{ hash, id string }
	owners, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (o owner, err error) {
		return o, rows.Scan(&o.hash, &o.id)
	}, `SELECT hash, id FROM documents WHERE workspace_id = ?
		UNION SELECT hash, document_id FROM document_versions WHERE workspace_id = ?
		UNION SELECT hash, document_id FROM pictures WHERE workspace_id = ? ORDER BY 2, 1`, ws, ws, ws)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	found, owned := Found{}, map[string]bool{}
	for i, o := range owners {
		owned[o.hash] = true
		problem, err := checkFile(ctx, ws, files, o.hash)
		if err != nil {
			return nil, err
		}
		if problem != "" && owns(ctx, q, ws, o.id, o.hash) {
			found.add(problem, o.id)
		}
		if progress != nil {
			progress(i+1, len(owners))
		}
	}
	err = files.Each(ctx, ws, func(hash string, stored time.Time) error {
		if !owned[hash] && now.Sub(stored) > settling && !referenced(ctx, q, ws, hash) {
			found.add(FileWithoutOwner, hash)
		}
		return nil
	})
	return found, err
}

// checkFile returns the problem of a file, or "".
func checkFile(ctx context.Context, ws domain.WorkspaceID, files Files, hash string) (Problem, error) {
	r, _, err := files.Open(ctx, ws, hash)
	if domain.KindOf(err) == domain.NotFound {
		return FileMissing, nil
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", fmt.Errorf("read the file %s: %w", hash, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return FileChanged, nil
	}
	return "", nil
}

// owns reports whether a document with a file was not deleted meanwhile.
func owns(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, id, hash string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND id = ? AND hash = ?
		UNION SELECT document_id FROM document_versions WHERE workspace_id = ? AND document_id = ? AND hash = ?
		UNION SELECT document_id FROM pictures WHERE workspace_id = ? AND document_id = ? AND hash = ?`, ws, id, hash, ws, id, hash, ws, id, hash)
	return err == nil && len(ids) > 0
}

// referenced reports whether a document with a hash was added meanwhile, or may
// have been.
func referenced(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, hash string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND hash = ?
		UNION SELECT document_id FROM document_versions WHERE workspace_id = ? AND hash = ?
		UNION SELECT document_id FROM pictures WHERE workspace_id = ? AND hash = ?`, ws, hash, ws, hash, ws, hash)
	return err != nil || len(ids) > 0
}
