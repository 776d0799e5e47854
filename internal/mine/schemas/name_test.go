package schemas_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
)

func TestASchemaIsChosenByItsName(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx, s := t.Context(), a.Schemas
	for text, kind := range map[string]domain.Kind{"": domain.Invalid, " \n": domain.Invalid, strings.Repeat("x", schemas.MaxName+1): domain.Invalid, "nobody’s": domain.NotFound} {
		if name, err := s.Choose(ctx, testkit.Workspace, text, "ada"); domain.KindOf(err) != kind {
			t.Errorf("%q is chosen as %q, error %v, want kind %s", text, name, err, kind)
		}
	}
	if choices, err := s.Choices(ctx, testkit.Workspace); err != nil || len(choices) != len(schemas.Templates()) || choices[0].Title == "" {
		t.Errorf("at first there are %+v, error %v", choices, err)
	}

	// Files of one upload choose at the same time: the template is saved once.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if name, err := s.Choose(ctx, testkit.Workspace, " Minutes ", "ada"); name != "minutes" || err != nil {
				t.Errorf("chosen %q, error %v", name, err)
			}
		})
	}
	wg.Wait()
	saved, err := s.Versions(ctx, testkit.Workspace, schemas.Scope{Name: "minutes"}, 0)
	if err != nil || len(saved) != 1 || saved[0].Who != "ada" || len(saved[0].Guide.Schema.Labels) == 0 {
		t.Errorf("saved %+v, error %v", saved, err)
	}

	testkit.Must(t, s.Keep(ctx, testkit.Workspace, "bells", bells(), "ada", "from bells.yaml"))
	testkit.Must(t, s.Keep(ctx, testkit.Workspace, "bells", bells(), "eve", "the same"))
	testkit.Must(t, s.Keep(ctx, testkit.Workspace, "bells", instructions("shorter"), "eve", ""))
	if all, err := s.Versions(ctx, testkit.Workspace, schemas.Scope{Name: "bells"}, 0); err != nil || len(all) != 2 {
		t.Errorf("%d versions, error %v, want 2: keeping the same adds none", len(all), err)
	}
	choices, err := s.Choices(ctx, testkit.Workspace)
	if err != nil || len(choices) != len(schemas.Templates())+1 || choices[0] != (schemas.Choice{Name: "bells", Number: 3}) || choices[1] != (schemas.Choice{Name: "minutes", Number: 1}) {
		t.Errorf("to choose from: %+v, error %v", choices, err)
	}
}
