package run

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

func TestKindsSubjects(t *testing.T) {
	t.Parallel()
	var asked []string
	broken := errors.New("broken")
	kinds := Kinds{
		{Name: "a", Gone: "a deleted thing", Subjects: func(_ context.Context, _ domain.WorkspaceID, ids []string) (map[string]Subject, error) {
			asked = ids
			return map[string]Subject{"1": {Title: "Thing 1", Path: "/things/1"}}, nil
		}},
		{Name: "b", Subjects: func(context.Context, domain.WorkspaceID, []string) (map[string]Subject, error) { return nil, broken }},
	}
	got, err := kinds.Subjects(t.Context(), job.Run{Kind: "a", Subject: "gone"}, job.Run{Kind: "of another version", Subject: "x"}, job.Run{Kind: "a", Subject: "1"})
	want := []Subject{{Title: "a deleted thing"}, {Title: "x"}, {Title: "Thing 1", Path: "/things/1"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"gone", "1"}, asked); diff != "" {
		t.Errorf("ids (-want +got)\n%s", diff)
	}
	if _, err := kinds.Subjects(t.Context(), job.Run{Kind: "b"}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestKindsConcurrency(t *testing.T) {
	t.Parallel()
	kinds := Kinds{{Name: "a", Concurrency: 2}, {Name: "b", Concurrency: 3}}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 3}, kinds.Concurrency()); diff != "" {
		t.Errorf("of all kinds (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"b": 3}, kinds.Concurrency("b")); diff != "" {
		t.Errorf("of one kind (-want +got)\n%s", diff)
	}
}
