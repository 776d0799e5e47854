package curate

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// latest is higher than every number of the log.
const latest = math.MaxInt64

// A Line is an entry of the log with its sentence.
type Line struct {
	fold.Effect
	Text string // a sentence without its full stop
}

// Which selects entries of the log.
type Which struct {
	Who  string // "" selects everybody's
	Kind ledger.CurationKind
}

// Kinds lists the kinds of entries.
func Kinds() []ledger.CurationKind {
	return []ledger.CurationKind{
		ledger.CurationMerge, ledger.CurationSplit, ledger.CurationRename, ledger.CurationRelabel, ledger.CurationSet, ledger.CurationUnset,
		ledger.CurationCreate, ledger.CurationRelate, ledger.CurationRetype, ledger.CurationHide, ledger.CurationHideRelation, ledger.CurationApart, ledger.CurationTag, ledger.CurationUndo,
	}
}

// KindNames lists the kinds of entries in words.
func KindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// Changes lists entries of the log, newest first, and the number of all that
// are selected. A limit of 0 lists all.
func (c *Curator) Changes(ctx context.Context, w domain.WorkspaceID, which Which, offset, limit int) ([]Line, int, error) {
	if which.Kind != "" && !slices.Contains(Kinds(), which.Kind) {
		return nil, 0, domain.Errorf(domain.Invalid, "There is no kind of change %q. The kinds are %s.", which.Kind, KindNames())
	}
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return nil, 0, err
	}
	log = slices.DeleteFunc(log, func(e ledger.Curation) bool {
		return which.Who != "" && e.Who != which.Who || which.Kind != "" && e.Kind != which.Kind
	})
	total := len(log)
	if limit <= 0 {
		limit = total
	}
	slices.Reverse(log)
	lines, err := c.lines(ctx, w, log[min(offset, total):min(offset+limit, total)])
	return lines, total, err
}

// mostJoined is how many merges by rule are told of one entity.
const mostJoined = 3

// Joined lists the latest merges by rule that made others part of an entity, newest
// first, as far as they are in force.
func (c *Curator) Joined(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) ([]Line, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return nil, err
	}
	undone := ledger.Undone(log)
	log = slices.DeleteFunc(log, func(e ledger.Curation) bool {
		return e.Kind != ledger.CurationMerge || e.Who != ledger.Rule || e.Entity != id || len(e.Others) == 0 || undone[e.Seq]
	})
	if len(log) == 0 {
		return nil, nil
	}
	slices.Reverse(log)
	return c.lines(ctx, w, log[:min(len(log), mostJoined)])
}

// Curators lists who made changes, by name.
func (c *Curator) Curators(ctx context.Context, w domain.WorkspaceID) ([]string, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	var all []string
	for _, e := range log {
		if e.Who != "" && !slices.Contains(all, e.Who) {
			all = append(all, e.Who)
		}
	}
	slices.Sort(all)
	return all, err
}

// Result returns the entity that a decision made or altered, "" for an undo.
func Result(e ledger.Curation) domain.EntityID {
	if e.Kind == ledger.CurationSplit {
		return domain.NewSplitID(e.Entity, e.Seq)
	}
	return e.Entity
}

// Change returns an entry of the log, or an error of kind NotFound.
func (c *Curator) Change(ctx context.Context, w domain.WorkspaceID, seq int64) (Line, error) {
	log, err := c.Ledger.Curations(ctx, w, seq)
	if err != nil {
		return Line{}, err
	}
	if len(log) == 0 || log[len(log)-1].Seq != seq {
		return Line{}, domain.Errorf(domain.NotFound, "The list of changes has no entry %d.", seq)
	}
	lines, err := c.lines(ctx, w, log[len(log)-1:])
	if err != nil {
		return Line{}, err
	}
	return lines[0], nil
}

// Describe returns the sentence of an entry, and whether it is undone.
func (c *Curator) Describe(ctx context.Context, w domain.WorkspaceID, seq int64) (text string, undone bool, err error) {
	line, err := c.Change(ctx, w, seq)
	return line.Text, line.Undone, err
}

func (c *Curator) lines(ctx context.Context, w domain.WorkspaceID, entries []ledger.Curation) ([]Line, error) {
	effects, err := c.Projector.Effects(ctx, w, entries)
	lines := make([]Line, len(entries))
	for i, e := range entries {
		effect := effects[e.Seq]
		lines[i] = Line{effect, inWords(effect)}
	}
	return lines, err
}
