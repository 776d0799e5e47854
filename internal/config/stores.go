package config

import (
	"net/url"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// Postgres is the database that holds the ledger in place of SQLite.
type Postgres struct {
	URL string `env:"DATABASE_URL" secret:"true" group:"Stores" help:"Postgres database for the ledger, for instance postgres://clew:password@127.0.0.1:5432/clew. Empty: SQLite in the data folder. Needs NEO4J_URL and QDRANT_URL too."`
}

// Neo4j is the server that holds the entity graph.
type Neo4j struct {
	URL      string `env:"NEO4J_URL" group:"Stores" help:"Neo4j server for the entity graph, for instance neo4j://127.0.0.1:7687 (neo4j+s:// with TLS). Empty: a file in the data folder. Goes with QDRANT_URL."`
	User     string `env:"NEO4J_USER" envDefault:"neo4j" group:"Stores" help:"User at Neo4j."`
	Password string `env:"NEO4J_PASSWORD" secret:"true" group:"Stores" help:"Password of that user. Empty: Neo4j asks for none."`
	Database string `env:"NEO4J_DATABASE" envDefault:"neo4j" group:"Stores" help:"Database at Neo4j; the Community Edition has one, neo4j."`
}

// Qdrant is the server that holds the search index.
type Qdrant struct {
	URL          string `env:"QDRANT_URL" group:"Stores" help:"gRPC address of a Qdrant server for the search index, for instance http://127.0.0.1:6334 (https:// with TLS). Empty: a file in the data folder. Goes with NEO4J_URL."`
	APIKey       string `env:"QDRANT_API_KEY" secret:"true" group:"Stores" help:"Key for Qdrant. Empty: it asks for none."`
	Quantization string `env:"QDRANT_QUANTIZATION" envDefault:"none" group:"Stores" help:"How vectors are compressed in Qdrant's memory: none, scalar (a quarter) or binary (two bits a number, a sixteenth). The originals stay on disk and decide the order."`
}

// Stores is a supported set of stores.
type Stores string

// The supported sets. Any other combination is refused.
const (
	Embedded Stores = "embedded" // SQLite, graph and index in files of the data folder
	Servers  Stores = "servers"  // SQLite, Neo4j, Qdrant
	Fleet    Stores = "fleet"    // Postgres, Neo4j, Qdrant
)

// Stores is the set that the settings ask for. It means something only after
// Check has found no mistake.
func (c Config) Stores() Stores {
	switch {
	case c.Postgres.URL != "":
		return Fleet
	case c.Neo4j.URL != "":
		return Servers
	}
	return Embedded
}

func (c Config) checkStores() []error {
	if (c.Neo4j.URL == "") != (c.Qdrant.URL == "") {
		return []error{domain.Errorf(domain.Invalid, "NEO4J_URL and QDRANT_URL go together: set both, or neither for the stores in the data folder.")}
	}
	if c.Postgres.URL != "" && c.Neo4j.URL == "" {
		return []error{domain.Errorf(domain.Invalid, "DATABASE_URL needs NEO4J_URL and QDRANT_URL too: with Postgres the graph and the index live on servers.")}
	}
	var problems []error
	for _, a := range []struct {
		key, value string
		schemes    []string
		example    string
	}{
		{"DATABASE_URL", c.Postgres.URL, []string{"postgres", "postgresql"}, "postgres://clew:password@127.0.0.1:5432/clew"},
		{"NEO4J_URL", c.Neo4j.URL, []string{"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"}, "neo4j://127.0.0.1:7687"},
		{"QDRANT_URL", c.Qdrant.URL, []string{"http", "https"}, "http://127.0.0.1:6334"},
	} {
		if !address(a.value, a.schemes) {
			problems = append(problems, domain.Errorf(domain.Invalid, "%s should be an address such as %s.", a.key, a.example))
		}
	}
	if !slices.Contains([]string{"none", "scalar", "binary"}, c.Qdrant.Quantization) {
		problems = append(problems, domain.Errorf(domain.Invalid, "QDRANT_QUANTIZATION is %q, but should be none, scalar or binary.", c.Qdrant.Quantization))
	}
	return problems
}

// address reports whether s is empty or an address of one of the schemes. It
// may hold a password and is never quoted.
func address(s string, schemes []string) bool {
	if s == "" {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}
