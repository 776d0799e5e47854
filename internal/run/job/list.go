package job

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Get returns one run. NotFound means that the workspace has none with that id, or that it belongs to others than the viewer
// of ctx.
func (q *Queue) Get(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (Run, error) {
	seen, who := ledger.SeenRuns(ctx)
	r, ok, err := q.one(ctx, q.reader, `SELECT `+columns+` FROM runs WHERE workspace_id = ? AND id = ? AND `+seen, append([]any{ws, id}, who...)...)
	if err == nil && !ok {
		return Run{}, domain.Errorf(domain.NotFound, "There is no run %s here.", id)
	}
	return r, q.wrap("read run", err)
}

// A Query selects runs. Empty fields select all.
type Query struct {
	Kind     string
	Except   []string // kinds that are left out
	Subject  string
	Status   []Status
	Person   string
	Words    string         // each of them is in the title
	From, To time.Time      // added between them, To excluded
	Slower   map[string]Bar // only those slower than the bar of their kind
	Costlier map[string]Bar // only those that cost more than the bar of their kind, or used more tokens if there are no prices
	Capped   bool
	Resumed  bool
	Asked    bool // without those about the workspace that the program started itself
	FailedAt string
	After    Place // only those after the place in the list
	Before   Place // only those before it: the last ones, if there is a limit
	Limit    int   // 0 means all
	Offset   int
}

// A Place is a run's place in a list. The zero Place stands for none.
type Place struct {
	At time.Time // when the run was added
	ID domain.RunID
}

// Place returns r's place in a list.
func (r Run) Place() Place { return Place{r.CreatedAt, r.ID} }

// String returns the place in a form for URLs.
func (p Place) String() string { return fmt.Sprintf("%d-%s", sqlio.Millis(p.At), p.ID) }

// ParsePlace is the inverse of String. It returns the zero Place if s is malformed.
func ParsePlace(s string) Place {
	at, id, _ := strings.Cut(s, "-")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return Place{}
	}
	return Place{sqlio.Time(n), domain.RunID(id)}
}

// condition is an SQL condition with its arguments.
type condition struct {
	sql  []string
	args []any
}

func (c *condition) add(sql string, args ...any) {
	c.sql, c.args = append(c.sql, sql), append(c.args, args...)
}

// addIf adds a condition on a column unless the value is zero.
func addIf[V comparable](c *condition, sql string, v V) {
	var zero V
	if v != zero {
		c.add(sql, v)
	}
}

// where returns the SQL condition of the query on what the viewer of ctx may see, and its arguments.
func (s Query) where(ctx context.Context, ws domain.WorkspaceID) (string, []any) {
	c := &condition{}
	c.add("workspace_id = ?", ws)
	addIf(c, "kind = ?", s.Kind)
	if len(s.Except) > 0 {
		c.add("kind NOT IN ("+sqlio.Marks(len(s.Except))+")", sqlio.Args(s.Except)...)
	}
	addIf(c, "subject = ?", s.Subject)
	addIf(c, "person = ?", s.Person)
	addIf(c, "created_at >= ?", sqlio.Millis(s.From))
	addIf(c, "created_at < ?", sqlio.Millis(s.To))
	if len(s.Status) > 0 {
		c.add("status IN ("+sqlio.Marks(len(s.Status))+")", sqlio.Args(s.Status)...)
		if !slices.Contains(s.Status, Done) {
			c.add("status <> 'done'") // to use the index
		}
	}
	s.whereFigures(c)
	if seen, who := ledger.SeenRuns(ctx); who != nil {
		c.add(seen, who...)
	}
	for word := range strings.FieldsSeq(titled(s.Words)) { // after the faster conditions
		c.add(`title LIKE ? ESCAPE '\'`, "%"+literal.Replace(word)+"%")
	}
	if s.After != (Place{}) {
		c.add("(created_at, id) < (?, ?)", sqlio.Millis(s.After.At), s.After.ID)
	}
	if s.Before != (Place{}) {
		c.add("(created_at, id) > (?, ?)", sqlio.Millis(s.Before.At), s.Before.ID)
	}
	return strings.Join(c.sql, " AND "), c.args
}

func (s Query) whereFigures(c *condition) {
	if s.Capped {
		c.add("capped = 1")
	}
	if s.Asked {
		c.add("NOT (person = '' AND subject = workspace_id)")
	}
	if s.Resumed {
		c.add("resumed = 1")
	}
	if s.FailedAt != "" {
		c.add("failed_at <> '' AND failed_at = ?", s.FailedAt)
	}
	over(c, s.Slower, func(b Bar) (string, int64) { return "finished_at - started_at", b.Took.Milliseconds() })
	over(c, s.Costlier, func(b Bar) (string, int64) {
		if b.Spent > 0 {
			return "spent", b.Spent
		}
		return "tokens", int64(b.Tokens)
	})
}

// over selects the runs with a figure, as of names it, above the bar of their kind. nil selects all.
func over(c *condition, bars map[string]Bar, of func(Bar) (figure string, most int64)) {
	if bars == nil {
		return
	}
	either := []string{"1 = 0"}
	var args []any
	for _, kind := range slices.Sorted(maps.Keys(bars)) {
		figure, most := of(bars[kind])
		either, args = append(either, "kind = ? AND "+figure+" > ?"), append(args, kind, most)
	}
	c.add("started_at > 0 AND finished_at > 0 AND ("+strings.Join(either, " OR ")+")", args...)
}

// literal escapes the wildcards of a LIKE pattern.
var literal = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// titled returns a title as it is stored and searched.
func titled(title string) string { return domain.Cut(strings.ToLower(title), maxTitle) }

const maxTitle = 200 // code points

// List lists the selected runs, newest first, then by id from the last.
func (q *Queue) List(ctx context.Context, ws domain.WorkspaceID, s Query) ([]Run, error) {
	cond, args := s.where(ctx, ws)
	if s.Limit <= 0 {
		s.Limit = 1 << 31
	}
	order := "created_at DESC, id DESC"
	if s.Before != (Place{}) {
		order = "created_at, id"
	}
	runs, err := q.many(ctx, `SELECT `+columns+` FROM runs WHERE `+cond+` ORDER BY `+order+` LIMIT ? OFFSET ?`,
		append(args, s.Limit, s.Offset)...)
	if s.Before != (Place{}) {
		slices.Reverse(runs)
	}
	return runs, q.wrap("list runs", err)
}

// Unsettled returns the runs among ids that wait or are running, in any order.
func (q *Queue) Unsettled(ctx context.Context, ws domain.WorkspaceID, ids []domain.RunID) ([]Run, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	runs, err := q.many(ctx, `SELECT `+columns+` FROM runs WHERE workspace_id = ? AND (status IN `+pending+` OR status = 'running') AND id IN (`+sqlio.Marks(len(ids))+`)`,
		append([]any{ws}, sqlio.Args(ids)...)...)
	return runs, q.wrap("read runs", err)
}

// Line returns the first n runs of a kind that wait for a worker, oldest first, of those that the viewer of ctx may see.
func (q *Queue) Line(ctx context.Context, ws domain.WorkspaceID, kind string, n int) ([]domain.RunID, error) {
	seen, who := ledger.SeenRuns(ctx)
	line, err := sqlio.Collect(ctx, q.reader, sqlio.Column[domain.RunID], `SELECT id FROM runs
		WHERE workspace_id = ? AND kind = ? AND status = 'waiting' AND status <> 'done' AND `+seen+` ORDER BY priority DESC, created_at, id LIMIT ?`,
		slices.Concat([]any{ws, kind}, who, []any{n})...)
	return line, q.wrap("read the line of runs", err)
}

// LatestOfEachKind lists the latest n runs of each kind with the status, newest first, then by id.
func (q *Queue) LatestOfEachKind(ctx context.Context, ws domain.WorkspaceID, s Status, n int) ([]Run, error) {
	seen, who := ledger.SeenRuns(ctx)
	runs, err := q.many(ctx, `SELECT `+columns+` FROM (SELECT `+columns+`, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY created_at DESC, id) AS nth
		FROM runs WHERE workspace_id = ? AND status = ? AND `+seen+`) latest WHERE nth <= ? ORDER BY created_at DESC, id`, slices.Concat([]any{ws, s}, who, []any{n})...)
	return runs, q.wrap("list the latest runs", err)
}

// A Depth counts the runs of a kind that wait for a worker.
type Depth struct {
	Waiting int
	Oldest  time.Time // when the oldest of these runs was added
}

// Depths returns the number of runs of all workspaces that wait for a worker, by kind.
func (q *Queue) Depths(ctx context.Context) (map[string]Depth, error) {
	depths := map[string]Depth{}
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var kind string
		var n int
		var oldest int64
		err := rows.Scan(&kind, &n, &oldest)
		depths[kind] = Depth{n, sqlio.Time(oldest)}
		return err
	}, `SELECT kind, COUNT(*), MIN(created_at) FROM runs WHERE status = 'waiting' GROUP BY kind`)
	return depths, q.wrap("count what waits", err)
}

// Count returns how many runs a query selects, regardless of its limit.
func (q *Queue) Count(ctx context.Context, ws domain.WorkspaceID, s Query) (int, error) {
	cond, args := s.where(ctx, ws)
	var n int
	err := q.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM runs WHERE `+cond, args...).Scan(&n)
	return n, q.wrap("count runs", err)
}

// Note stores the figures of a run in a transaction.
func (q *Queue) Note(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID, f Figures) error {
	_, err := tx.ExecContext(ctx, `UPDATE runs SET tokens = ?, spent = ?, capped = ?, resumed = ?, failed_at = ? WHERE workspace_id = ? AND id = ?`,
		f.Tokens, f.Spent, sqlio.Flag(f.Capped), sqlio.Flag(f.Resumed), f.FailedAt, ws, id)
	return q.wrap("note the figures of a run", err)
}

// A Bar holds the figures that 95 of 100 finished runs of a kind stay within.
type Bar struct {
	Took   time.Duration
	Tokens int
	Spent  int64 // see Figures; 0 if few of them have a price
}

// measured is of how many finished runs of a kind the bar is taken, the latest.
const measured = 1000

// Bars returns the bars of the given kinds, of the runs that the viewer of ctx may see. Kinds without a finished run have none.
func (q *Queue) Bars(ctx context.Context, ws domain.WorkspaceID, kinds ...string) (map[string]Bar, error) {
	bars := map[string]Bar{}
	if len(kinds) == 0 {
		return bars, nil
	}
	seen, who := ledger.SeenRuns(ctx)
	latest := `SELECT kind, took, tokens, spent FROM (SELECT kind, finished_at - started_at AS took, tokens, spent FROM runs WHERE workspace_id = ? AND kind = ? AND status = 'done' AND ` + seen + `
		ORDER BY created_at DESC, id DESC LIMIT ?) latest`
	var args []any
	for _, kind := range kinds {
		args = append(append(append(args, ws, kind), who...), measured)
	}
	took, tokens, spent := map[string][]int64{}, map[string][]int64{}, map[string][]int64{}
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var kind string
		var ms, n, money int64
		err := rows.Scan(&kind, &ms, &n, &money)
		took[kind], tokens[kind], spent[kind] = append(took[kind], ms), append(tokens[kind], n), append(spent[kind], money)
		return err
	}, strings.Repeat(latest+" UNION ALL ", len(kinds)-1)+latest, args...)
	for kind := range took {
		bars[kind] = Bar{Took: time.Duration(most(took[kind])) * time.Millisecond, Tokens: int(most(tokens[kind])), Spent: most(spent[kind])}
	}
	return bars, q.wrap("measure runs", err)
}

// most returns the 95th percentile of values.
func most(values []int64) int64 {
	slices.Sort(values)
	return domain.Percentile(values, 95)
}

// Persons lists the people who asked for runs, sorted. A viewer who may not see all gets only the own account.
func (q *Queue) Persons(ctx context.Context, ws domain.WorkspaceID) ([]string, error) {
	if v, limited := domain.ViewerOf(ctx); limited {
		return slices.DeleteFunc([]string{v.Account}, func(name string) bool { return name == "" }), nil
	}
	all, err := q.distinct(ctx, ws, "person")
	return slices.DeleteFunc(all, func(name string) bool { return name == ledger.Nobody }), err
}

// FailedNodes lists the nodes at which runs failed that the viewer of ctx may see, sorted.
func (q *Queue) FailedNodes(ctx context.Context, ws domain.WorkspaceID) ([]string, error) {
	if seen, who := ledger.SeenRuns(ctx); who != nil {
		nodes, err := sqlio.Collect(ctx, q.reader, sqlio.Column[string], `SELECT DISTINCT failed_at FROM runs WHERE workspace_id = ? AND failed_at <> '' AND `+seen+` ORDER BY failed_at`,
			append([]any{ws}, who...)...)
		return nodes, q.wrap("list what runs are narrowed by", err)
	}
	return q.distinct(ctx, ws, "failed_at")
}

// distinct lists the values of an indexed column, except "", by jumping from one to the next.
func (q *Queue) distinct(ctx context.Context, ws domain.WorkspaceID, column string) ([]string, error) {
	next := `(SELECT MIN(` + column + `) FROM runs WHERE workspace_id = ? AND ` + column + ` <> '' AND ` + column + ` > `
	all, err := sqlio.Collect(ctx, q.reader, sqlio.Column[string], `WITH RECURSIVE found (v) AS (
		SELECT `+next+`'') UNION ALL SELECT `+next+`found.v) FROM found WHERE found.v IS NOT NULL)
		SELECT v FROM found WHERE v IS NOT NULL`, ws, ws)
	return all, q.wrap("list what runs are narrowed by", err)
}
