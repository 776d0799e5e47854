package neo4j

import (
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
)

// TestALookWithoutTimeFindsTheServerAway: what a look returns is what everybody else is told meanwhile, so it has to be an
// error that passes.
func TestALookWithoutTimeFindsTheServerAway(t *testing.T) {
	t.Parallel()
	o := Options{URL: "bolt://127.0.0.1:9", SilenceTimeout: time.Second, Timeout: time.Second}
	d, err := connect(o)
	if err != nil {
		t.Fatal(err)
	}
	s := Store{Options: o, driver: d, bookmarks: driver.NewBookmarkManager(driver.BookmarkManagerConfig{}), owners: new(domain.Owners)}
	defer s.Close()
	for _, prepared := range []bool{false, true} {
		o := domain.Outage{Pause: time.Hour, Now: time.Now, Server: &looker{s, prepared}, Says: notAnswering}
		o.Suspect()
		o.End()
		if err := o.Standing(); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("prepared %v: %v is %s", prepared, err, domain.KindOf(err))
		}
	}
}
