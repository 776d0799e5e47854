package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// A Desk reads the trail. All fields are required.
type Desk struct {
	Ledger ledger.AuditStore
	Now    domain.Clock
	Access operation.Access
}

// Wanted selects a part of the trail.
type Wanted struct {
	Person     string `json:"person" doc:"only what this account did, or with - what nobody signed in did"`
	Action     string `json:"action" doc:"only this: an operation such as documents delete, the first words of several, sign-in, sign-in failed, sign-out or look"`
	Thing      string `json:"thing" doc:"only what was done to this: an id or a name, or a part of it"`
	Address    string `json:"address" doc:"only what came from this address"`
	Result     string `json:"result" doc:"done, refused or failed"`
	Words      string `json:"words" doc:"only rows with these words in any column"`
	Since      string `json:"since" doc:"begin at this day (UTC), such as 2026-11-01, or so long ago, such as 7d or 12h"`
	Until      string `json:"until" doc:"end with this day (UTC)"`
	Everywhere bool   `json:"everywhere" trail:"" doc:"of all workspaces, with what is about the installation, such as sign-ins; for owners"`
}

// Listing is a page of a part of the trail.
type Listing struct {
	Wanted
	Limit int    `json:"limit" default:"50" doc:"most rows"`
	After string `json:"after" doc:"go on after the row with this number, towards older ones"`
}

// Row is a row of the trail.
type Row struct {
	ID        string             `json:"id"` // its number, from 1 without gaps
	At        time.Time          `json:"at"`
	Workspace domain.WorkspaceID `json:"workspace,omitempty"`
	Person    string             `json:"person,omitempty"`
	Token     string             `json:"token,omitempty"`
	Address   string             `json:"address,omitempty"`
	Action    string             `json:"action"`
	Thing     string             `json:"thing,omitempty"`
	How       string             `json:"how,omitempty"`
	Result    string             `json:"result"`
	Hash      string             `json:"hash"` // of the row and of the hash before it
}

func rowOf(a ledger.Audit) Row {
	return Row{strconv.FormatInt(a.Seq, 10), a.At, a.Workspace, a.Person, a.Token, a.Address, a.Action, a.Thing, a.How, a.Result, a.Hash}
}

// The operations that read the trail. Nobody changes it.
var (
	List = operation.Op[Desk, Listing, []Row]{
		Name: "audit list", Short: "List who did what, newest first", Scope: operation.Admin, Routes: []string{"GET /audit"},
		Long: `List who did what to which thing, when and from where: sign-ins and failed ones,
members, roles, tokens, settings, models, deletions, exports, shares, changes of the
graph and the schema, caps. It names things by their ids and holds no words of
documents or questions. Rows are only added; clew fsck checks that none was changed
or removed. AUDIT_DAYS says how long they are kept.`,
		Example: `  clew audit list --person ada --since 7d
  clew audit list --action "documents delete"
  clew audit list --everywhere --action "sign-in failed" --since 2026-11-01`,
		Do: func(d Desk, ctx context.Context, in Listing) ([]Row, error) {
			f, err := d.filter(ctx, in.Wanted)
			if err != nil {
				return nil, err
			}
			if in.After != "" {
				if f.Before, err = strconv.ParseInt(in.After, 10, 64); err != nil || f.Before < 1 {
					return nil, domain.Errorf(domain.Invalid, "%q is not the number of a row.", in.After)
				}
			}
			rows, err := d.Ledger.AuditRows(ctx, f, min(max(in.Limit, 1), mostRows))
			list := make([]Row, len(rows))
			for i, row := range rows {
				list[i] = rowOf(row)
			}
			return list, err
		},
		Text: operation.Table("WHEN\tWHO\tDID\tTO WHAT\tHOW\tRESULT\tFROM", "No entry of the trail matches.", func(r Row) []any {
			return []any{r.At.Format(time.DateTime), r.Who(), r.Action, cmp.Or(r.Thing, "-"), cmp.Or(r.How, "-"), r.Result, r.From()}
		}),
	}
	Export = operation.Op[Desk, Wanted, operation.Made]{
		Name: "audit export", Short: "Write the trail as JSON lines, oldest first", Scope: operation.Admin, Routes: []string{"GET /audit/export"}, Trail: operation.Trail{Kept: true},
		Long: `Write the rows that the fields select, or all, a JSON object on each line, the oldest
first. Each has the hash of itself and of the row before it: whoever keeps an export
elsewhere can tell later whether the trail was written anew.`,
		Example: `  clew audit export --everywhere > trail.jsonl
  clew audit export --since 2026-11-01 --until 2026-11-30 > november.jsonl`,
		Do: func(d Desk, ctx context.Context, in Wanted) (operation.Made, error) {
			f, err := d.filter(ctx, in)
			if err != nil {
				return operation.Made{}, err
			}
			return operation.Made{Name: "-", Type: "application/x-ndjson", Write: func(w io.Writer) error {
				lines := json.NewEncoder(w)
				lines.SetEscapeHTML(false)
				for row, err := range d.Ledger.EachAudit(ctx, f) {
					if err == nil {
						err = lines.Encode(rowOf(row))
					}
					if err != nil {
						return err
					}
				}
				return nil
			}}, nil
		},
	}
)

// mostRows is the most rows of a list.
const mostRows = 10_000

// Operations returns the operations that read the trail.
func Operations() []operation.Operation[Desk] { return []operation.Operation[Desk]{List, Export} }

// Who names who did it: an account, or a program by its token.
func (r Row) Who() string {
	switch {
	case r.Token != "" && r.Person != "" && r.Person != r.Token:
		return r.Person + " (" + r.Token + "…)"
	case r.Token != "":
		return r.Token + "…"
	case r.Person == "" && r.Action == SignInFailed:
		return "someone"
	}
	return cmp.Or(r.Person, "-")
}

// From names where the request came from.
func (r Row) From() string { return cmp.Or(r.Address, "this machine") }

// filter returns the filter for a request. It fails with kind Forbidden if that asks for more than the caller's
// workspace and the caller may not read it.
func (d Desk) filter(ctx context.Context, in Wanted) (f ledger.AuditFilter, err error) {
	f = ledger.AuditFilter{Workspace: domain.WorkspaceOf(ctx), Person: in.Person, Action: in.Action, Thing: in.Thing, Address: in.Address, Result: in.Result, Text: in.Words}
	if in.Everywhere {
		if err := d.Access.May(ctx, operation.Install); err != nil {
			return f, err
		}
		f.Workspace = ""
	}
	if f.Result != "" && f.Result != Done && f.Result != Refused && f.Result != Failed {
		return f, domain.Errorf(domain.Invalid, "There is no result %q. Choose done, refused or failed.", in.Result)
	}
	if in.Person == "-" {
		f.Person, f.Nobody = "", true
	}
	if f.Since, err = d.since(in.Since); err != nil {
		return f, err
	}
	if in.Until != "" {
		day, err := time.Parse(time.DateOnly, in.Until)
		if err != nil {
			return f, wrongDay(in.Until)
		}
		f.Until = day.AddDate(0, 0, 1)
	}
	return f, nil
}

// since returns the time that a day or a duration names, zero for "".
func (d Desk) since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	var n int
	var unit string
	if _, err := fmt.Sscanf(text, "%d%s", &n, &unit); err == nil && n >= 0 && n < 100_000 {
		switch unit {
		case "d":
			return d.Now().AddDate(0, 0, -n), nil
		case "h":
			return d.Now().Add(-time.Duration(n) * time.Hour), nil
		}
	}
	return time.Time{}, wrongDay(text)
}

func wrongDay(text string) error {
	return domain.Errorf(domain.Invalid, "%q is not a day. Write it as 2026-11-01, or for the beginning also as 7d or 12h.", text)
}

// Count returns how many rows are wanted.
func (d Desk) Count(ctx context.Context, in Wanted) (int, error) {
	f, err := d.filter(ctx, in)
	if err != nil {
		return 0, err
	}
	return d.Ledger.CountAudit(ctx, f)
}

// People lists who is in the trail of the workspace, or everywhere, and counts what was done by action.
func (d Desk) People(ctx context.Context, everywhere bool) (people []string, actions map[string]int, err error) {
	f, err := d.filter(ctx, Wanted{Everywhere: everywhere})
	if err != nil {
		return nil, nil, err
	}
	if people, err = d.Ledger.AuditPeople(ctx, f.Workspace); err != nil {
		return nil, nil, err
	}
	actions, err = d.Ledger.AuditActions(ctx, f.Workspace)
	return people, actions, err
}

// Everywhere reports whether the caller may read the trail of all workspaces.
func (d Desk) Everywhere(ctx context.Context) bool {
	return d.Access.May(ctx, operation.Install) == nil
}
