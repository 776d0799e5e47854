package run

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
)

func TestKindsSubject(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	kinds := Kinds{
		{Name: "a", Gone: "a deleted thing", Subject: func(_ context.Context, r job.Run) (Subject, error) {
			switch r.Subject {
			case "gone":
				return Subject{Path: "/things/"}, domain.Errorf(domain.NotFound, "There is no such thing.")
			case "broken":
				return Subject{}, broken
			}
			return Subject{Title: "Thing " + r.Subject, Path: "/things/" + r.Subject}, nil
		}},
	}
	for _, tt := range []struct {
		kind, subject string
		want          Subject
		err           error
	}{
		{"a", "1", Subject{Title: "Thing 1", Path: "/things/1"}, nil},
		{"a", "gone", Subject{Title: "a deleted thing"}, nil},
		{"a", "broken", Subject{}, broken},
		{"of another version", "1", Subject{Title: "1"}, nil},
	} {
		got, err := kinds.Subject(t.Context(), job.Run{Kind: tt.kind, Subject: tt.subject})
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Subject(%s %s) = %+v, %v; want %+v, %v", tt.kind, tt.subject, got, err, tt.want, tt.err)
		}
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
