package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// Shared keeps what graphs are divided into where all processes find it, so that one of them divides for all. All fields are
// required.
type Shared struct {
	Divisions Divisions
	Leases    Leases
	Program   string // its version: others may divide in another way
}

// Divisions stores the communities of graphs; the ledger implements it.
type Divisions interface {
	Division(ctx context.Context, w, place domain.WorkspaceID, program string, after int64) (ledger.Division, bool, error)
	KeepDivision(ctx context.Context, w domain.WorkspaceID, d ledger.Division) error
}

// Leases gives one process at a time a named lease, as package lease does.
type Leases interface {
	Hold(ctx context.Context, name domain.WorkspaceID, work func(ctx context.Context, token int64) error) error
}

var _ graphstore.Shelf[*Divided] = Shared{}

// Take implements graphstore.Shelf.
func (s Shared) Take(ctx context.Context, w, place domain.WorkspaceID, after int64) (*graphstore.Made[*Divided], error) {
	d, found, err := s.Divisions.Division(ctx, w, place, s.Program, after)
	if err != nil || !found {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(d.Content))
	if err != nil {
		return nil, fmt.Errorf("unpack a division: %w", err)
	}
	divided := new(Divided)
	if err := json.NewDecoder(unpacked).Decode(divided); err != nil {
		return nil, fmt.Errorf("unpack a division: %w", err)
	}
	return &graphstore.Made[*Divided]{Value: divided, Cursor: d.Change, At: d.MadeAt, Took: d.Took}, nil
}

// Put implements graphstore.Shelf.
func (s Shared) Put(ctx context.Context, w, place domain.WorkspaceID, m graphstore.Made[*Divided]) error {
	var content bytes.Buffer
	packed := gzip.NewWriter(&content)
	if err := json.NewEncoder(packed).Encode(m.Value); err != nil {
		return fmt.Errorf("pack a division: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("pack a division: %w", err)
	}
	return s.Divisions.KeepDivision(ctx, w, ledger.Division{
		Place: place, Change: m.Cursor, Program: s.Program, MadeAt: m.At, Took: m.Took, Content: content.Bytes(),
	})
}

// dividing follows the place in the name of the lease of who divides its graph.
const dividing = "~dividing"

// Hold implements graphstore.Shelf.
func (s Shared) Hold(ctx context.Context, place domain.WorkspaceID, work func(ctx context.Context) error) error {
	return s.Leases.Hold(ctx, place+dividing, func(ctx context.Context, _ int64) error { return work(ctx) })
}
