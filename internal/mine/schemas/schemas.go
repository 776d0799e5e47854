package schemas

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// A Scope is the set of documents that a schema is for: those with a tag, those for which its name was chosen, one
// document, or the library when it is zero.
type Scope = ledger.SchemaScope

// A Version is one version of a scope's schema. The zero Version stands for no
// schema.
type Version struct {
	Number  int64 // 0 if there is none
	Scope   Scope
	At      time.Time
	Who     string // account that saved it; "" if there are no accounts
	Note    string
	Cleared bool // the scope has no schema from this version on; Guide is empty
	Guide   extract.Guide
}

// Params configures a Service.
type Params struct {
	Ledger *ledger.Ledger
	Model  *Model // proposes schemas; nil in the built-in mode

	// Project brings the stores to the ledger's head after fields were defined; if nil, others do that.
	Project func(ctx context.Context, w domain.WorkspaceID) error
}

// A Service keeps the schemas of the library.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// For returns the version that guides the reading of a document: its own, else
// the one whose name was chosen for it, else that of the first of its tags, by
// name, that has one, else the library's. It is the zero Version when there is
// none.
func (s *Service) For(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (Version, error) {
	rows, err := s.Ledger.SchemasFor(ctx, w, id)
	if err != nil {
		return Version{}, err
	}
	var best ledger.SchemaVersion
	for _, v := range rows {
		if v.Body != "" && (best.Body == "" || rank(v.Scope) > rank(best.Scope)) {
			best = v
		}
	}
	if best.Body == "" {
		return Version{}, nil
	}
	return version(best)
}

// NumberFor returns the number of For's version.
func (s *Service) NumberFor(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error) {
	v, err := s.For(ctx, w, id)
	return v.Number, err
}

// GuideAt returns the guide of At's version.
func (s *Service) GuideAt(ctx context.Context, w domain.WorkspaceID, number int64) (extract.Guide, error) {
	v, err := s.At(ctx, w, number)
	return v.Guide, err
}

// rank orders scopes from the widest to the narrowest.
func rank(s Scope) int {
	switch {
	case s.Document != "":
		return 3
	case s.Name != "":
		return 2
	case s.Tag != "":
		return 1
	}
	return 0
}

// At returns the version of a number: the zero Version for 0, else an error of kind NotFound if there is none.
func (s *Service) At(ctx context.Context, w domain.WorkspaceID, number int64) (Version, error) {
	if number == 0 {
		return Version{}, nil
	}
	row, err := s.Ledger.Schema(ctx, w, number)
	if err != nil {
		return Version{}, err
	}
	return version(row)
}

// Latest returns the latest version of a scope, which may be a cleared one. If there is none, only its scope is set.
func (s *Service) Latest(ctx context.Context, w domain.WorkspaceID, of Scope) (Version, error) {
	found, err := s.Versions(ctx, w, of, 1)
	if err != nil || len(found) == 0 {
		return Version{Scope: of}, err
	}
	return found[0], nil
}

// Versions lists at most n versions of a scope, the latest first, all when n is
// 0.
func (s *Service) Versions(ctx context.Context, w domain.WorkspaceID, of Scope, n int) ([]Version, error) {
	rows, err := s.Ledger.SchemaVersions(ctx, w, of, n)
	if err != nil {
		return nil, err
	}
	return versions(rows)
}

// Scopes lists the latest version of each scope that has a schema.
func (s *Service) Scopes(ctx context.Context, w domain.WorkspaceID) ([]Version, error) {
	rows, err := s.Ledger.LatestSchemas(ctx, w)
	if err != nil {
		return nil, err
	}
	all, err := versions(rows)
	return lists.Filter(all, func(v Version) bool { return !v.Cleared }), err
}

// InForce lists the schemas of all scopes that have one.
func (s *Service) InForce(ctx context.Context, w domain.WorkspaceID) ([]extract.Schema, error) {
	set, err := s.Scopes(ctx, w)
	return lists.Map(set, func(v Version) extract.Schema { return v.Guide.Schema }), err
}

func versions(rows []ledger.SchemaVersion) ([]Version, error) {
	var all []Version
	for _, row := range rows {
		v, err := version(row)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func version(row ledger.SchemaVersion) (Version, error) {
	v := Version{Number: row.Number, Scope: row.Scope, At: row.At, Who: row.Who, Note: row.Note, Cleared: row.Body == ""}
	if v.Cleared {
		return v, nil
	}
	if err := json.Unmarshal([]byte(row.Body), &v.Guide); err != nil {
		return v, fmt.Errorf("read version %d of a schema: %w", row.Number, err)
	}
	return v, nil
}
