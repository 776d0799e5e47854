package neo4j

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

var _ graphstore.Console = (*Console)(nil)

// A Console runs statements of people. It refuses what does more than read in
// three ways: the server explains each statement first and says what kind it is
// and what it calls; it runs in a transaction that the server lets read only;
// and, if a user of its own is set, as one who may not write.
type Console struct {
	store  *Store
	driver driver.DriverWithContext
	own    bool // the driver is the console's own
}

// OpenConsole connects as a user who may only read, or as the store's user if
// user is "". It does not wait for the server. Close must follow.
func (s *Store) OpenConsole(user, password string) (*Console, error) {
	if user == "" {
		return &Console{store: s, driver: s.driver}, nil
	}
	o := s.Options
	o.User, o.Password = user, password
	d, err := connect(o)
	return &Console{store: s, driver: d, own: true}, err
}

// Close releases the console's own connections.
func (c *Console) Close() error {
	if !c.own {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return c.driver.Close(ctx)
}

// Restricted implements graphstore.Console.
func (c *Console) Restricted() bool { return c.own }

// grace is how much longer than its time-out a statement may take to end.
const grace = 5 * time.Second

// Run implements graphstore.Console.
func (c *Console) Run(ctx context.Context, s graphstore.Statement) (graphstore.Table, error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, s.Timeout+grace)
	defer cancel()
	session := c.driver.NewSession(limited, driver.SessionConfig{
		AccessMode: driver.AccessModeRead, DatabaseName: c.store.Database, BookmarkManager: c.store.bookmarks, FetchSize: min(s.Rows+1, 1000),
	})
	defer c.store.release(ctx, session)
	r := reading{ctx: limited, session: session, Statement: s}
	table, err := r.run()
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return table, tookTooLong(err, s.Timeout)
		}
		return table, c.explain(ctx, err, s.Timeout)
	}
	table.Took = time.Since(began)
	return table, nil
}

// reading is one statement being run.
type reading struct {
	graphstore.Statement
	ctx     context.Context
	session driver.SessionWithContext
}

func (r reading) run() (graphstore.Table, error) {
	if err := r.check(); err != nil {
		return graphstore.Table{}, err
	}
	t, err := r.begin()
	if err != nil {
		return graphstore.Table{}, err
	}
	defer func() { _ = t.Close(r.ctx) }() // it is rolled back, and holds nothing
	result, err := t.Run(r.ctx, r.Text, r.Parameters)
	if err != nil {
		return graphstore.Table{}, err
	}
	return r.collect(result)
}

// begin begins a transaction that the server lets read only.
func (r reading) begin() (driver.ExplicitTransaction, error) {
	return r.session.BeginTransaction(r.ctx, driver.WithTxTimeout(r.Timeout))
}

// explaining makes the server explain a statement. The line it takes is taken
// off the positions in errors.
const explaining = "EXPLAIN\n"

// check refuses a statement that does more than read.
func (r reading) check() error {
	if first, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(r.Text))+" ", " "); first == "PROFILE" || first == "EXPLAIN" {
		return domain.Errorf(domain.Forbidden, "Take %s off: each statement is explained first to see that it only reads, and that can't be nested.", first)
	}
	t, err := r.begin()
	if err != nil {
		return err
	}
	defer func() { _ = t.Close(r.ctx) }() // nothing was run
	result, err := t.Run(r.ctx, explaining+r.Text, r.Parameters)
	if err != nil {
		return shiftedUp(err)
	}
	summary, err := result.Consume(r.ctx)
	if err != nil {
		return shiftedUp(err)
	}
	if kind := summary.StatementType(); kind != driver.StatementTypeReadOnly {
		return domain.Errorf(domain.Forbidden, "Only statements that read can be run here. Neo4j says that this one is of the kind %q.", kinds[kind])
	}
	plan := summary.Plan()
	if plan == nil {
		return domain.Errorf(domain.Forbidden, "Neo4j does not explain this statement, so it was not run: only those that are known to read are.")
	}
	return checkPlan(plan)
}

// kinds are the words for the types of statements.
var kinds = map[driver.StatementType]string{
	driver.StatementTypeUnknown: "unknown", driver.StatementTypeReadWrite: "reads and writes",
	driver.StatementTypeWriteOnly: "writes", driver.StatementTypeSchemaWrite: "changes the schema",
}

// callable are the beginnings of the names of procedures that only look at the
// graph. Others that Neo4j says read also wait, or reach outside of it.
var callable = []string{"db.labels", "db.relationshipTypes", "db.propertyKeys", "db.schema.", "db.index.fulltext.query", "db.index.vector.query"}

// checkPlan refuses what counts as reading and still reaches outside the graph:
// loading files and addresses, ending the work of others, and procedures other
// than those that are callable.
func checkPlan(p driver.Plan) error {
	name, _, _ := strings.Cut(p.Operator(), "@")
	switch {
	case strings.HasPrefix(name, "LoadCSV"):
		return domain.Errorf(domain.Forbidden, "LOAD CSV reads files and addresses, not the graph; it can't be run here.")
	case strings.HasPrefix(name, "Terminate"):
		return domain.Errorf(domain.Forbidden, "TERMINATE ends the work of others; it can't be run here.")
	case strings.HasPrefix(name, "ProcedureCall"):
		details, _ := p.Arguments()["Details"].(string)
		called, _, _ := strings.Cut(details, "(")
		if called = strings.TrimSpace(called); !slices.ContainsFunc(callable, func(name string) bool { return strings.HasPrefix(called, name) }) {
			return domain.Errorf(domain.Forbidden, "The procedure %s can't be called here. These can: %s.", called, strings.Join(callable, ", "))
		}
	}
	for _, c := range p.Children() {
		if err := checkPlan(c); err != nil {
			return err
		}
	}
	return nil
}

// maxTable bounds the values of a table, counted with those within others.
const maxTable = 200_000

// collect reads the rows of a result.
func (r reading) collect(result driver.ResultWithContext) (graphstore.Table, error) {
	columns, err := result.Keys()
	if err != nil {
		return graphstore.Table{}, err
	}
	c := collector{table: graphstore.Table{Columns: columns, Rows: [][]any{}}, seen: map[string]bool{}}
	for result.Next(r.ctx) {
		if len(c.table.Rows) == r.Rows || c.size > maxTable {
			c.table.More = true
			break
		}
		row := make([]any, len(columns))
		for i, v := range result.Record().Values {
			row[i] = c.value(v)
		}
		c.table.Rows = append(c.table.Rows, row)
	}
	return c.table, result.Err()
}

// collector turns the driver's values into cells of a table.
type collector struct {
	table graphstore.Table
	seen  map[string]bool // nodes and edges
	size  int
}

func (c *collector) value(v any) any {
	c.size++
	switch v := v.(type) {
	case nil, bool, int64, string:
		return v
	case float64:
		if v-v != 0 { // NaN and infinities, which JSON can't hold
			return fmt.Sprint(v)
		}
		return v
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = c.value(item)
		}
		return list
	case map[string]any:
		return c.fields(v)
	case driver.Node:
		return c.node(v)
	case driver.Relationship:
		return c.edge(v)
	case driver.Path:
		list := make([]any, 0, len(v.Nodes)+len(v.Relationships))
		for i, n := range v.Nodes {
			list = append(list, c.node(n))
			if i < len(v.Relationships) {
				list = append(list, c.edge(v.Relationships[i]))
			}
		}
		return list
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	}
	return fmt.Sprint(v)
}

func (c *collector) fields(of map[string]any) map[string]any {
	out := make(map[string]any, len(of))
	for key, value := range of {
		out[key] = c.value(value)
	}
	return out
}

// node returns a node, without the properties that only the store needs.
func (c *collector) node(n driver.Node) graphstore.TableNode {
	t := graphstore.TableNode{ID: n.ElementId, Labels: n.Labels, Properties: c.fields(n.Props)}
	for _, own := range []string{"alias_keys", "words", "__tally", "__notes"} {
		delete(t.Properties, own)
	}
	t.Name, _ = n.Props["name"].(string)
	for _, l := range n.Labels {
		if l == "__Entity__" {
			id, _ := n.Props["id"].(string)
			t.Entity = domain.EntityID(id)
		} else {
			t.Label = l
		}
	}
	if label, ok := n.Props["label"].(string); ok {
		t.Label = label
	}
	if t.Name == "" {
		t.Name = t.Label
	}
	if !c.seen[t.ID] {
		c.seen[t.ID] = true
		c.table.Nodes = append(c.table.Nodes, t)
	}
	return t
}

func (c *collector) edge(r driver.Relationship) graphstore.TableEdge {
	e := graphstore.TableEdge{ID: r.ElementId, From: r.StartElementId, To: r.EndElementId, Type: r.Type, Properties: c.fields(r.Props)}
	if !c.seen[e.ID] {
		c.seen[e.ID] = true
		c.table.Edges = append(c.table.Edges, e)
	}
	return e
}

// explain turns an error of a person's statement into a sentence.
func (c *Console) explain(ctx context.Context, err error, limit time.Duration) error {
	server, ok := errors.AsType[*driver.Neo4jError](err)
	switch {
	case !ok || ctx.Err() != nil:
	case strings.Contains(server.Code, "TransactionTimedOut"), strings.Contains(server.Code, "Transaction.Terminated"):
		return tookTooLong(err, limit)
	case server.Code == "Neo.ClientError.Statement.AccessMode", strings.HasPrefix(server.Code, "Neo.ClientError.Security.Forbidden"):
		return domain.Because(domain.Forbidden, err, "Only statements that read can be run here: %s", server.Msg)
	case strings.Contains(server.Code, "MemoryPoolOutOfMemory"), strings.Contains(server.Code, "OutOfMemory"):
		return domain.Because(domain.TooLarge, err, "The statement needs more memory than Neo4j gives it. Ask for less, for instance with LIMIT.")
	case strings.HasPrefix(server.Code, "Neo.ClientError.Security."):
		return domain.Because(domain.Invalid, err, "Neo4j at %s rejects the user of this page. Check NEO4J_READ_USER and NEO4J_READ_PASSWORD.", c.store.URL)
	case strings.HasPrefix(server.Code, "Neo.ClientError."):
		return domain.Because(domain.Invalid, err, "%s", server.Msg)
	}
	return c.store.explain(ctx, err)
}

func tookTooLong(err error, limit time.Duration) error {
	return domain.Because(domain.TooLarge, err, "The statement took longer than %s and was ended. Ask for less, or give it more time.", limit)
}

// position finds where a statement is wrong in the server's words.
var position = regexp.MustCompile(`\(line (\d+), column (\d+) \(offset: (\d+)\)\)`)

// shiftedUp takes the line of explaining off the position in an error.
func shiftedUp(err error) error {
	server, ok := errors.AsType[*driver.Neo4jError](err)
	if !ok {
		return err
	}
	moved := *server
	moved.Msg = position.ReplaceAllStringFunc(server.Msg, func(at string) string {
		parts := position.FindStringSubmatch(at)
		line, _ := strconv.Atoi(parts[1])
		return fmt.Sprintf("(line %d, column %s)", max(1, line-1), parts[2])
	})
	return &moved
}
