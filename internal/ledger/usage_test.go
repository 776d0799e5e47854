package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func usage(t *testing.T, b Bench) {
	ctx := t.Context()
	add := func(day, model, role string, document domain.DocumentID, run domain.RunID, person string, input int) {
		t.Helper()
		must(t, b.Ledger.AddUsage(ctx, ws, ledger.Usage{
			Day: day, Role: role, Document: document, Run: run, Person: person, Calls: 1,
			Usage: domain.Usage{Model: model, Input: input, Cached: 1, Output: 2, Embedded: 3},
		}))
	}
	add("2026-11-01", "big", "extract", "d1", "r1", "ada", 10)
	add("2026-11-01", "big", "extract", "d1", "r1", "ada", 20) // is added to the first
	add("2026-11-01", "big", "extract", "d2", "r2", "ada", 30)
	add("2026-11-02", "small", "grade", "", "r3", "bea", 40)
	must(t, b.Ledger.AddUsage(ctx, "other", ledger.Usage{Day: "2026-11-02", Calls: 9, Run: "r1", Document: "d1", Usage: domain.Usage{Model: "big", Input: 99}}))

	sum := func(day, model string, calls, input int) ledger.Usage {
		return ledger.Usage{Day: day, Calls: calls, Usage: domain.Usage{Model: model, Input: input, Cached: calls, Output: 2 * calls, Embedded: 3 * calls}}
	}
	with := func(u ledger.Usage, change func(*ledger.Usage)) ledger.Usage {
		change(&u)
		return u
	}
	first, second := sum("2026-11-01", "big", 3, 60), sum("2026-11-02", "small", 1, 40)
	for name, tt := range map[string]struct {
		q    ledger.UsageQuery
		want []ledger.Usage
	}{
		"all":       {ledger.UsageQuery{}, []ledger.Usage{first, second}},
		"one day":   {ledger.UsageQuery{From: "2026-11-02", To: "2026-11-02"}, []ledger.Usage{second}},
		"up to one": {ledger.UsageQuery{To: "2026-11-01"}, []ledger.Usage{first}},
		"not a day": {ledger.UsageQuery{From: "2026-11-03"}, nil},
		"document":  {ledger.UsageQuery{Document: "d1"}, []ledger.Usage{sum("2026-11-01", "big", 2, 30)}},
		"runs": {ledger.UsageQuery{Runs: []domain.RunID{"r2", "r3"}, By: []ledger.UsageColumn{ledger.UsageRun}}, []ledger.Usage{
			with(sum("2026-11-01", "big", 1, 30), func(u *ledger.Usage) { u.Run = "r2" }), with(second, func(u *ledger.Usage) { u.Run = "r3" }),
		}},
		"by document": {ledger.UsageQuery{By: []ledger.UsageColumn{ledger.UsageDocument}}, []ledger.Usage{
			with(sum("2026-11-01", "big", 2, 30), func(u *ledger.Usage) { u.Document = "d1" }),
			with(sum("2026-11-01", "big", 1, 30), func(u *ledger.Usage) { u.Document = "d2" }), second,
		}},
		"by role and person": {ledger.UsageQuery{By: []ledger.UsageColumn{ledger.UsageRole, ledger.UsagePerson}}, []ledger.Usage{
			with(first, func(u *ledger.Usage) { u.Role, u.Person = "extract", "ada" }), with(second, func(u *ledger.Usage) { u.Role, u.Person = "grade", "bea" }),
		}},
	} {
		got, err := b.Ledger.Usage(ctx, ws, tt.q)
		must(t, err)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	add("2026-11-02", "big", "extract", "d1", "r4", "ada", 5)
	got, err := b.Ledger.Usage(ctx, ws, ledger.UsageQuery{Together: true})
	must(t, err)
	if diff := cmp.Diff([]ledger.Usage{sum("2026-11-01", "big", 4, 65), second}, got); diff != "" {
		t.Errorf("days together (-want +got):\n%s", diff)
	}
}
