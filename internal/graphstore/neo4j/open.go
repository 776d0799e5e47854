package neo4j

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"github.com/clewhq/clew/internal/domain"
)

// oldest is the first server version that accepts labels and types as
// parameters.
var oldest = []int{5, 26}

var schemes = []string{"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"}

// Open connects to the server and brings its constraints and indexes up to
// date. Its errors name the setting to change.
func Open(ctx context.Context, o Options) (*Store, error) {
	if u, err := url.Parse(o.URL); err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return nil, domain.Errorf(domain.Invalid,
			"NEO4J_URL is %q, which is not the address of a Neo4j server. It looks like neo4j://127.0.0.1:7687, or neo4j+s://… for an encrypted connection.", o.URL)
	}
	o.Timeout, o.Rows = cmp.Or(o.Timeout, 2*time.Minute), cmp.Or(o.Rows, 1000)
	o.SilenceTimeout = cmp.Or(o.SilenceTimeout, max(5*time.Second, o.Timeout/24))
	d, err := connect(o)
	if err != nil {
		return nil, err
	}
	s := &Store{Options: o, driver: d, bookmarks: driver.NewBookmarkManager(driver.BookmarkManagerConfig{}), owners: new(domain.Owners)}
	err = s.prepare(ctx)
	if o.Remember > 0 {
		s.outage = &domain.Outage{Pause: o.Remember, Now: o.Now, Server: &looker{*s, err == nil}, Says: notAnswering}
		if domain.KindOf(err) == domain.Unavailable {
			_, err = s.outage.Begin(err), nil
		}
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// A looker looks for a server that is away.
type looker struct {
	store    Store // tries anyway
	prepared bool
}

// Look implements domain.Looker.
func (l *looker) Look(ctx context.Context) (err error) {
	if l.prepared {
		if err = l.store.ping(ctx); err != nil {
			err = domain.Because(domain.Unavailable, err, notAnswering)
		}
		return err
	}
	err = l.store.prepare(ctx)
	l.prepared = err == nil
	return err
}

// prepare checks the server and brings its constraints and indexes up to date.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.greet(ctx); err != nil {
		return err
	}
	return s.migrate(ctx)
}

// connect returns a driver, which connects when it is used.
func connect(o Options) (driver.DriverWithContext, error) {
	auth := driver.BasicAuth(o.User, o.Password, "")
	if o.Password == "" {
		auth = driver.NoAuth()
	}
	d, err := driver.NewDriverWithContext(o.URL, auth, func(c *config.Config) {
		c.MaxConnectionPoolSize = maxConnections
		c.ConnectionAcquisitionTimeout = o.SilenceTimeout
		// A restarted server has closed every idle connection.
		c.ConnectionLivenessCheckTimeout = time.Second
		c.SocketConnectTimeout = min(5*time.Second, o.SilenceTimeout)
		c.MaxTransactionRetryTime = retries
		c.TelemetryDisabled = true
		c.UserAgent = "clew"
		c.NotificationsMinSeverity = notifications.DisabledLevel
	})
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "NEO4J_URL is %q, which can't be used: %v", o.URL, err)
	}
	return d, nil
}

// greet checks that the server accepts us and is recent enough.
func (s *Store) greet(ctx context.Context) error {
	w := s.watch(ctx, readLimit)
	defer w.stop()
	info, err := s.driver.GetServerInfo(w.ctx)
	if err != nil {
		return s.explain(ctx, w, err)
	}
	if agent := info.Agent(); tooOld(agent) {
		return domain.Errorf(domain.Unsupported, "The server at NEO4J_URL is %s, but Clew needs Neo4j %d.%d or later.", agent, oldest[0], oldest[1])
	}
	// The server may be up while the database is missing.
	return s.read(ctx, func(t *tx) error { return t.exec(`RETURN 1`, nil) })
}

// tooOld reports whether a server agent, such as Neo4j/5.26.1, is older than
// oldest. It accepts what it can't parse.
func tooOld(agent string) bool {
	_, version, _ := strings.Cut(agent, "/")
	major, rest, _ := strings.Cut(version, ".")
	minor := strings.FieldsFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	a, err := strconv.Atoi(major)
	if err != nil || len(minor) == 0 {
		return false
	}
	b, err := strconv.Atoi(minor[0])
	return err == nil && slices.Compare([]int{a, b}, oldest) < 0
}

// Claim implements graphstore.Store. A take-over marks the workspace as being emptied, like a reset: if it is
// interrupted, the next Apply or Reset continues it.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	s.owners.Set(w, owner)
	taken := false
	err := s.writeIn(ctx, w, func(t *tx) error {
		taken = false
		var stored string
		there := false
		err := t.each(func(r row) { stored, there = r.text(), true }, `MATCH (w:__Workspace__ {id: $workspace}) SET w.lock = true RETURN coalesce(w.owner, '')`, nil)
		if err != nil || !there || stored == owner {
			return err
		}
		set := `MATCH (w:__Workspace__ {id: $workspace}) SET w.owner = $owner`
		if stored != "" {
			if taken = takeOver; !takeOver {
				return s.foreign()
			}
			set += `, w.cursor = 0, w.after = 0, w.token = 0, w.version = w.version + 1, w.emptying = true REMOVE w.vectors_model`
		}
		return t.exec(set, params{"owner": owner})
	})
	if err == nil && taken {
		err = s.empty(ctx, w, 0)
	}
	if err != nil {
		return fmt.Errorf("claim the graph: %w", err)
	}
	return nil
}

func (s *Store) foreign() error {
	return domain.Foreign(fmt.Sprintf("The graph in Neo4j (database %s)", cmp.Or(s.Database, "of the user")), "Name another database for this one in NEO4J_DATABASE.")
}
