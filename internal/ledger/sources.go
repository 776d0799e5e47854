package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Source is a place that is followed: what is new or has changed there is read when it is looked at.
type Source struct {
	Workspace domain.WorkspaceID
	ID        string
	Name      string
	Kind      string
	Address   string
	Rules     SourceRules
	Limited   bool   // its documents are for some readers only, and only Person sees it
	Sealed    string // its password, encrypted; "" if there is none
	Rhythm    string // "" if it is looked at only on demand
	Person    string // who added it, and for whom it is looked at
	CreatedAt time.Time
	PausedBy  string
	PausedAt  time.Time // zero while it is followed
	NextAt    time.Time // of the next look; zero if there is none
	Looking   domain.RunID
	Failures  int // failed looks in a row
	Problem   string
	Because   string // the kind of the problem, by its name; "" for an unknown one
	FailingAt time.Time
}

// SourceRules select what is read of a source, and how.
type SourceRules struct {
	LeaveOut []string        `json:"leave_out,omitempty"` // path prefixes
	Most     int             `json:"most,omitempty"`      // maximum of items that are followed
	Rate     float64         `json:"rate,omitempty"`      // requests to a site per second
	User     string          `json:"user,omitempty"`
	Folder   string          `json:"folder,omitempty"`  // of a mail box or a repository
	Branch   string          `json:"branch,omitempty"`  // of a repository; "" for its default branch
	Sitemap  bool            `json:"sitemap,omitempty"` // the address is a sitemap
	Schema   string          `json:"schema,omitempty"`
	Chunking domain.Chunking `json:"chunking,omitzero"`
	Hold     bool            `json:"hold,omitempty"`
	Readers  []Reader        `json:"readers,omitempty"`
}

// A SourceItem is the stored state of an item of a source.
type SourceItem struct {
	Workspace  domain.WorkspaceID  `json:"-"`
	Source     string              `json:"-"`
	Name       string              `json:"name"`
	Stamp      string              `json:"stamp,omitempty"` // by which the source shows whether it has changed
	Hash       string              `json:"hash,omitempty"`
	Title      string              `json:"title,omitempty"`
	File       string              `json:"-"`              // its name as a document
	From       string              `json:"from,omitempty"` // its name before it moved
	Documents  []domain.DocumentID `json:"documents,omitempty"`
	Look       domain.RunID        `json:"look,omitempty"` // that saw it last
	Change     string              `json:"change,omitempty"`
	ChangeLook domain.RunID        `json:"change_look,omitempty"`
	ChangeAt   time.Time           `json:"change_at,omitzero"`
	Problem    string              `json:"problem,omitempty"`
}

// What has become of an item.
const (
	ItemNew     = "new"
	ItemChanged = "changed"
	ItemMoved   = "moved" // it had another name
	ItemGone    = "gone"
	ItemKept    = "kept"   // it is gone, but a person keeps its documents
	ItemFailed  = "failed" // it could not be read
)

// A Look is one at a source.
type Look struct {
	Workspace domain.WorkspaceID `json:"-"`
	Source    string             `json:"-"`
	Run       domain.RunID       `json:"run"`
	BeganAt   time.Time          `json:"began"`
	EndedAt   time.Time          `json:"ended,omitzero"`
	Seen      int                `json:"seen"`
	Fresh     int                `json:"new"`
	Changed   int                `json:"changed"`
	Gone      int                `json:"gone"`
	Failed    int                `json:"failed"`
	LeftOut   int                `json:"left_out"`
	Problem   string             `json:"problem,omitempty"`
}

var sourceTable = sqlio.Table[Source]{Name: "sources", Row: func(s *Source) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &s.Workspace, "id key", &s.ID, "name", &s.Name, "kind fixed", &s.Kind, "address", &s.Address, "rules", &s.Rules, "limited", &s.Limited,
		"sealed", &s.Sealed, "rhythm", &s.Rhythm, "person fixed", &s.Person, "created_at fixed", &s.CreatedAt, "paused_by", &s.PausedBy, "paused_at", &s.PausedAt,
		"next_at", &s.NextAt, "looking", &s.Looking, "failures", &s.Failures, "problem", &s.Problem, "problem_kind", &s.Because, "failing_at", &s.FailingAt,
	}
}}

var sourceItemTable = sqlio.Table[SourceItem]{Name: "source_items", Row: func(i *SourceItem) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &i.Workspace, "source_id key", &i.Source, "name key", &i.Name, "stamp", &i.Stamp, "hash", &i.Hash, "title", &i.Title, "file", &i.File, "moved_from", &i.From, "documents", &i.Documents,
		"look", &i.Look, "change", &i.Change, "change_look", &i.ChangeLook, "change_at", &i.ChangeAt, "problem", &i.Problem,
	}
}}

var lookTable = sqlio.Table[Look]{Name: "source_looks", Row: func(k *Look) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &k.Workspace, "source_id key", &k.Source, "run_id key", &k.Run, "began_at fixed", &k.BeganAt, "ended_at", &k.EndedAt,
		"seen", &k.Seen, "fresh", &k.Fresh, "changed", &k.Changed, "gone", &k.Gone, "failed", &k.Failed, "left_out", &k.LeftOut, "problem", &k.Problem,
	}
}}

// ownSources is the condition that a source is shown to the reader of ctx.
func ownSources(ctx context.Context) (string, []any) {
	if reader := domain.ReaderOf(ctx); reader != "" {
		return ` AND (limited = 0 OR person = ?)`, []any{reader}
	}
	return "", nil
}

func noSource(id string) error {
	return domain.Errorf(domain.NotFound, "There is no source %s. clew source list lists them.", domain.Cut(id, 100))
}

// AddSource stores a new source. It fails with kind Conflict if the workspace has as many as it may, or follows that place already.
func (l SourceStore) AddSource(ctx context.Context, s Source, most int) error {
	return l.tx(ctx, "add source", func(tx *sql.Tx, _ time.Time) error {
		all, err := sourceTable.List(ctx, tx, `WHERE workspace_id = ?`, s.Workspace)
		switch {
		case err != nil:
			return err
		case len(all) >= most:
			return domain.Errorf(domain.Conflict, "There are %d sources already. Remove one first.", most)
		}
		for _, other := range all {
			if other.Kind == s.Kind && other.Address == s.Address && other.Rules.User == s.Rules.User && other.Rules.Folder == s.Rules.Folder && other.Rules.Branch == s.Rules.Branch && other.Person == s.Person {
				return domain.Errorf(domain.Conflict, "%s is followed already, as %s.", s.Address, other.Name)
			}
		}
		_, err = sourceTable.Insert(ctx, tx, &s)
		return err
	})
}

// Sources lists the sources of a workspace that the reader of ctx may see, by name.
func (l SourceStore) Sources(ctx context.Context, ws domain.WorkspaceID) ([]Source, error) {
	seen, args := ownSources(ctx)
	return list(ctx, l, "list sources", sourceTable.Scan, sourceTable.Select()+`WHERE workspace_id = ?`+seen+` ORDER BY LOWER(name), id`, append([]any{ws}, args...)...)
}

// Source returns a source, or an error of kind NotFound.
func (l SourceStore) Source(ctx context.Context, ws domain.WorkspaceID, id string) (Source, error) {
	seen, args := ownSources(ctx)
	s, err := read(ctx, l.reader, sourceTable, noSource(id), `WHERE workspace_id = ? AND id = ?`+seen, append([]any{ws, id}, args...)...)
	return s, l.wrap("read source", err)
}

// ChangeSource changes a source with edit, in a transaction, and returns it.
func (l SourceStore) ChangeSource(ctx context.Context, ws domain.WorkspaceID, id string, edit func(tx *sql.Tx, s *Source) error) (s Source, err error) {
	seen, args := ownSources(ctx)
	err = l.tx(ctx, "change source", func(tx *sql.Tx, _ time.Time) error {
		was, err := read(ctx, tx, sourceTable, noSource(id), `WHERE workspace_id = ? AND id = ?`+seen+l.lock.Changing, append([]any{ws, id}, args...)...)
		if err != nil {
			return err
		}
		s = was
		if err := edit(tx, &s); err != nil {
			return err
		}
		return sourceTable.Update(ctx, tx, &was, &s)
	})
	return s, err
}

// RemoveSource removes a source with the stored states of its items.
func (l SourceStore) RemoveSource(ctx context.Context, ws domain.WorkspaceID, id string) error {
	return l.tx(ctx, "remove source", func(tx *sql.Tx, _ time.Time) error {
		return sqlio.ExecAll(ctx, tx, []any{ws, id}, `DELETE FROM source_items WHERE workspace_id = ? AND source_id = ?`,
			`DELETE FROM source_looks WHERE workspace_id = ? AND source_id = ?`, `DELETE FROM sources WHERE workspace_id = ? AND id = ?`)
	})
}

// DueSources lists up to most sources, of all workspaces in use, whose next look is due.
func (l SourceStore) DueSources(ctx context.Context, most int) ([]Source, error) {
	return list(ctx, l, "list due sources", sourceTable.Scan, sourceTable.Select()+`WHERE next_at > 0 AND next_at <= ? AND looking = '' AND paused_at = 0
		AND workspace_id IN (SELECT id FROM workspaces WHERE archived_at = 0 AND delete_at = 0) ORDER BY next_at, id LIMIT ?`, sqlio.Millis(l.now()), most)
}

// SourcesWithRhythm lists up to most sources, of all workspaces in use, that are followed with a rhythm.
func (l SourceStore) SourcesWithRhythm(ctx context.Context, rhythm string, most int) ([]Source, error) {
	return list(ctx, l, "list sources with a rhythm", sourceTable.Scan, sourceTable.Select()+`WHERE rhythm = ? AND paused_at = 0
		AND workspace_id IN (SELECT id FROM workspaces WHERE archived_at = 0 AND delete_at = 0) ORDER BY created_at, workspace_id, id LIMIT ?`, rhythm, most)
}

// AddLook stores that a run begins to look at a source, and drops all but the newest looks at it.
func (l SourceStore) AddLook(ctx context.Context, tx *sql.Tx, k Look, keep int) error {
	if _, err := lookTable.Insert(ctx, tx, &k); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM source_looks WHERE workspace_id = ? AND source_id = ? AND run_id NOT IN
		(SELECT run_id FROM source_looks WHERE workspace_id = ? AND source_id = ? ORDER BY began_at DESC, run_id LIMIT ?)`, k.Workspace, k.Source, k.Workspace, k.Source, keep)
}

// SetLook stores the figures of a look, or how it ended.
func (l SourceStore) SetLook(ctx context.Context, ws domain.WorkspaceID, source string, run domain.RunID, edit func(*Look)) error {
	return l.tx(ctx, "set look", func(tx *sql.Tx, _ time.Time) error {
		was, found, err := lookTable.First(ctx, tx, `WHERE workspace_id = ? AND source_id = ? AND run_id = ?`, ws, source, run)
		if err != nil || !found {
			return err
		}
		now := was
		edit(&now)
		return lookTable.Update(ctx, tx, &was, &now)
	})
}

// Looks lists the looks at a source, or at all sources for "", that began since a time, the newest first.
func (l SourceStore) Looks(ctx context.Context, ws domain.WorkspaceID, source string, since time.Time, most int) ([]Look, error) {
	seen, args := ownSources(ctx)
	return list(ctx, l, "list looks", lookTable.Scan, lookTable.Select()+`WHERE workspace_id = ? AND (source_id = ? OR ? = '') AND began_at >= ?
		AND source_id IN (SELECT id FROM sources WHERE workspace_id = ?`+seen+`) ORDER BY began_at DESC, run_id LIMIT ?`,
		append(append([]any{ws, source, source, sqlio.Millis(since), ws}, args...), most)...)
}

// LastLooks returns the last look at each source of a workspace, by the ids of the sources.
func (l SourceStore) LastLooks(ctx context.Context, ws domain.WorkspaceID) (map[string]Look, error) {
	all, err := list(ctx, l, "list last looks", lookTable.Scan, lookTable.Select()+`WHERE workspace_id = ? AND began_at =
		(SELECT MAX(k.began_at) FROM source_looks k WHERE k.workspace_id = source_looks.workspace_id AND k.source_id = source_looks.source_id)`, ws)
	return lists.By(all, func(k Look) string { return k.Source }), err
}

// SourceItems returns the stored states of items of a source, by their names.
func (l SourceStore) SourceItems(ctx context.Context, ws domain.WorkspaceID, source string, names []string) (map[string]SourceItem, error) {
	all, err := listIn(ctx, l, "read source items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? AND name IN (%s)`, []any{ws, source}, names)
	return lists.By(all, func(i SourceItem) string { return i.Name }), err
}

// SeeItems notes that a look saw items. What was gone is there again.
func (l SourceStore) SeeItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID, names []string) error {
	return l.tx(ctx, "see source items", func(tx *sql.Tx, _ time.Time) error {
		return execIn(ctx, tx, `UPDATE source_items SET look = ?, change = CASE WHEN change IN ('gone', 'kept') THEN '' ELSE change END
			WHERE workspace_id = ? AND source_id = ? AND name IN (%s)`, []any{look, ws, source}, names)
	})
}

// PutItem inserts or replaces an item.
func (l SourceStore) PutItem(ctx context.Context, i SourceItem) error {
	return l.tx(ctx, "store a source item", func(tx *sql.Tx, _ time.Time) error { return sourceItemTable.Put(ctx, tx, &i) })
}

// UnseenItems lists up to most items by name that a look has not seen and that were not gone before.
func (l SourceStore) UnseenItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID, most int) ([]SourceItem, error) {
	return list(ctx, l, "list unseen items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? AND look <> ? AND change NOT IN ('gone', 'kept')
		ORDER BY name LIMIT ?`, ws, source, look, most)
}

// TwinItems lists up to most items by name that a look saw and whose content is that of an item it did not see.
func (l SourceStore) TwinItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID, most int) ([]SourceItem, error) {
	return list(ctx, l, "list moved items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? AND look = ? AND hash IN
		(SELECT hash FROM source_items WHERE workspace_id = ? AND source_id = ? AND look <> ? AND change NOT IN ('gone', 'kept') AND hash <> '') ORDER BY name LIMIT ?`,
		ws, source, look, ws, source, look, most)
}

// MissItems notes that items are gone which a complete look has not seen. Of what another item holds by now, or what no document
// was made of, nothing is kept.
func (l SourceStore) MissItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID) error {
	const unseen = ` workspace_id = ? AND source_id = ? AND look <> ? AND change NOT IN ('gone', 'kept')`
	return l.tx(ctx, "miss source items", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM source_items WHERE`+unseen+` AND (documents IN ('null', '[]') OR EXISTS (SELECT 1 FROM source_items o
			WHERE o.workspace_id = source_items.workspace_id AND o.source_id = source_items.source_id AND o.hash = source_items.hash AND o.look = ?))`, ws, source, look, look); err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `UPDATE source_items SET look = ?, change = 'gone', change_look = ?, change_at = ? WHERE`+unseen, look, look, sqlio.Millis(now), ws, source, look)
	})
}

// GoneItems lists the items of a source that a look found gone, by name.
func (l SourceStore) GoneItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID) ([]SourceItem, error) {
	return list(ctx, l, "list gone items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? AND change = 'gone' AND change_look = ? ORDER BY name`, ws, source, look)
}

// ChangedItems lists up to most items of a source that are gone or were changed by a look, newest first.
func (l SourceStore) ChangedItems(ctx context.Context, ws domain.WorkspaceID, source string, look domain.RunID, most int) ([]SourceItem, error) {
	return list(ctx, l, "list changed items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ?
		AND (change = 'gone' OR change NOT IN ('', 'failed') AND change_look = ?) ORDER BY change_at DESC, name LIMIT ?`, ws, source, look, most)
}

// FailedItems lists up to most items of a source by name that can't be read as they are.
func (l SourceStore) FailedItems(ctx context.Context, ws domain.WorkspaceID, source string, most int) ([]SourceItem, error) {
	return list(ctx, l, "list failed items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? AND problem <> '' AND change = 'failed' ORDER BY name LIMIT ?`, ws, source, most)
}

// CountFailed counts the items of each source of a workspace that can't be read as they are, by the ids of the sources.
func (l SourceStore) CountFailed(ctx context.Context, ws domain.WorkspaceID) (map[string]int, error) {
	return pairs[string, int](ctx, l, "count failed items", `SELECT source_id, COUNT(*) FROM source_items WHERE workspace_id = ? AND problem <> '' AND change = 'failed' GROUP BY source_id`, ws)
}

// ForgetStamps has all items of a source opened at the next look.
func (l SourceStore) ForgetStamps(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, source string) error {
	return sqlio.Exec(ctx, tx, `UPDATE source_items SET stamp = '' WHERE workspace_id = ? AND source_id = ?`, ws, source)
}

// AllItems lists the items of a source by name, with all their documents.
func (l SourceStore) AllItems(ctx context.Context, ws domain.WorkspaceID, source string) ([]SourceItem, error) {
	return list(ctx, l, "list source items", sourceItemTable.Scan, sourceItemTable.Select()+`WHERE workspace_id = ? AND source_id = ? ORDER BY name`, ws, source)
}

// DropItem forgets an item.
func (l SourceStore) DropItem(ctx context.Context, ws domain.WorkspaceID, source, name string) error {
	return l.exec(ctx, "forget a source item", `DELETE FROM source_items WHERE workspace_id = ? AND source_id = ? AND name = ?`, ws, source, name)
}
