package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Postgres configures the database for the ledger instead of SQLite.
type Postgres struct {
	URL string `env:"DATABASE_URL" secret:"true" group:"Stores" help:"Postgres database for the ledger, for example postgres://clew:password@127.0.0.1:5432/clew. Empty: SQLite in the data folder. Needs NEO4J_URL and QDRANT_URL too."`

	Connections int `env:"DATABASE_CONNECTIONS" envDefault:"12" group:"Stores" help:"Maximum number of connections of each process to Postgres, besides one on which processes notify each other. Half of them write. Together, all processes must stay below max_connections of the server."`
}

// Files configures where uploaded files are kept.
type Files struct {
	URL string `env:"FILES_URL" group:"Stores" help:"Where uploaded files are kept: s3://bucket/prefix, on the storage of S3_ENDPOINT with the keys of S3_…, which must be allowed to read, write, delete and list there. Empty: in the data folder, or in Postgres. Files that were there before are not moved: back up, change the setting and restore."`
}

// Neo4j configures the server for the entity graph.
type Neo4j struct {
	URL      string `env:"NEO4J_URL" group:"Stores" help:"Neo4j server for the entity graph, for example neo4j://127.0.0.1:7687 (neo4j+s:// with TLS). Empty: a file in the data folder. Requires QDRANT_URL."`
	User     string `env:"NEO4J_USER" envDefault:"neo4j" group:"Stores" help:"Neo4j user."`
	Password string `env:"NEO4J_PASSWORD" secret:"true" group:"Stores" help:"Neo4j password. Empty if Neo4j needs none."`
	Database string `env:"NEO4J_DATABASE" envDefault:"neo4j" group:"Stores" help:"Neo4j database; the Community Edition has only neo4j."`

	Timeout time.Duration `env:"NEO4J_TIMEOUT" envDefault:"2m0s" group:"Stores" help:"How long Neo4j may work on one step without a sign of progress while it answers others. After that, the step fails and is tried again later."`
	Vectors string        `env:"NEO4J_VECTORS" envDefault:"off" group:"Stores" help:"on: write the vectors of passages to Neo4j too, with a vector index, for other programs that search it. Clew itself searches Qdrant."`

	Browser string `env:"NEO4J_BROWSER_URL" group:"Stores" help:"Address of Neo4j Browser, for example http://127.0.0.1:7474/browser/. If set, an entity's page links to the same entity there."`
}

// Qdrant configures the server for the search index.
type Qdrant struct {
	URL          string `env:"QDRANT_URL" group:"Stores" help:"gRPC address of a Qdrant server for the search index, for example http://127.0.0.1:6334 (https:// with TLS). Empty: a file in the data folder. Requires NEO4J_URL."`
	APIKey       string `env:"QDRANT_API_KEY" secret:"true" group:"Stores" help:"Qdrant key. Empty if Qdrant needs none."`
	Prefix       string `env:"QDRANT_PREFIX" envDefault:"clew" group:"Stores" help:"Prefix of the names of this library's collections in Qdrant. Two libraries on one server need different ones."`
	Replicas     int    `env:"QDRANT_REPLICAS" envDefault:"0" group:"Stores" help:"Copies of each new collection on a cluster of Qdrant, up to 16. 0: what the server's own settings say. clew rebuild --store vectors makes new collections."`
	Shards       int    `env:"QDRANT_SHARDS" envDefault:"0" group:"Stores" help:"Shards of each new collection in Qdrant, up to 256. 0: what the server's own settings say."`
	Quantization string `env:"QDRANT_QUANTIZATION" envDefault:"none" group:"Stores" help:"Compression of vectors in Qdrant's memory: none, scalar (to a quarter) or binary (two bits per number, to a sixteenth). The originals stay on disk and determine the ranking."`
}

// Stores is a supported combination of stores.
type Stores string

// The supported combinations.
const (
	Embedded Stores = "embedded" // SQLite, with graph and index in files in the data folder
	Servers  Stores = "servers"  // SQLite, Neo4j, Qdrant
	Fleet    Stores = "fleet"    // Postgres, Neo4j, Qdrant
)

// Stores returns the configured combination. The result is only meaningful if
// Check succeeds.
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
		return []error{domain.Errorf(domain.Invalid, "Set both NEO4J_URL and QDRANT_URL, or neither to use the data folder.")}
	}
	if c.Postgres.URL != "" && c.Neo4j.URL == "" {
		return []error{domain.Errorf(domain.Invalid, "DATABASE_URL requires NEO4J_URL and QDRANT_URL: with Postgres, graph and index are on servers too.")}
	}
	var problems []error
	if c.Neo4j.Timeout < time.Second {
		problems = append(problems, domain.Errorf(domain.Invalid, "NEO4J_TIMEOUT is %s, but should be at least a second, for example 2m.", c.Neo4j.Timeout))
	}
	if c.Postgres.Connections < 4 || c.Postgres.Connections > 1000 {
		problems = append(problems, domain.Errorf(domain.Invalid, "DATABASE_CONNECTIONS is %d, but should be between 4 and 1000.", c.Postgres.Connections))
	}
	for _, a := range []struct {
		key, value string
		schemes    []string
		example    string
	}{
		{"DATABASE_URL", c.Postgres.URL, []string{"postgres", "postgresql"}, "postgres://clew:password@127.0.0.1:5432/clew"},
		{"NEO4J_URL", c.Neo4j.URL, []string{"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"}, "neo4j://127.0.0.1:7687"},
		{"NEO4J_BROWSER_URL", c.Neo4j.Browser, []string{"http", "https"}, "http://127.0.0.1:7474/browser/"},
		{"QDRANT_URL", c.Qdrant.URL, []string{"http", "https"}, "http://127.0.0.1:6334"},
		{"FILES_URL", c.Files.URL, []string{"s3"}, "s3://bucket/prefix"},
	} {
		problems = append(problems, checkAddress(a.key, a.value, a.example, a.schemes...)...)
	}
	for _, a := range []struct{ key, value, instead string }{
		{"NEO4J_URL", c.Neo4j.URL, "NEO4J_USER and NEO4J_PASSWORD"}, {"NEO4J_BROWSER_URL", c.Neo4j.Browser, "nothing, Neo4j Browser asks for them,"},
		{"QDRANT_URL", c.Qdrant.URL, "QDRANT_API_KEY"}, {"FILES_URL", c.Files.URL, "S3_ACCESS_KEY and S3_SECRET_KEY"},
	} {
		if u, err := url.Parse(a.value); err == nil && u.User != nil {
			problems = append(problems, domain.Errorf(domain.Invalid, "%s contains a name or password, which would be shown: use %s instead.", a.key, a.instead))
		}
	}
	if !slices.Contains([]string{"none", "scalar", "binary"}, c.Qdrant.Quantization) {
		problems = append(problems, domain.Errorf(domain.Invalid, "QDRANT_QUANTIZATION is %q, but should be none, scalar or binary.", c.Qdrant.Quantization))
	}
	if c.Qdrant.Replicas < 0 || c.Qdrant.Replicas > 16 {
		problems = append(problems, domain.Errorf(domain.Invalid, "QDRANT_REPLICAS is %d, but should be from 0 to 16.", c.Qdrant.Replicas))
	}
	if c.Qdrant.Shards < 0 || c.Qdrant.Shards > 256 {
		problems = append(problems, domain.Errorf(domain.Invalid, "QDRANT_SHARDS is %d, but should be from 0 to 256.", c.Qdrant.Shards))
	}
	if !slices.Contains([]string{"on", "off"}, c.Neo4j.Vectors) {
		problems = append(problems, domain.Errorf(domain.Invalid, "NEO4J_VECTORS is %q, but should be on or off.", c.Neo4j.Vectors))
	}
	if !prefixPattern.MatchString(c.Qdrant.Prefix) {
		problems = append(problems, domain.Errorf(domain.Invalid, "QDRANT_PREFIX is %q, but should be up to 40 lowercase letters, digits and hyphens, beginning with a letter.", c.Qdrant.Prefix))
	}
	return problems
}

// prefixPattern has no underscore, so that no prefix begins the names of another one.
var prefixPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// checkAddress returns an error unless the value of a setting is empty or a URL with one of the schemes. It does not quote
// the value, which may hold a password.
func checkAddress(key, value, example string, schemes ...string) []error {
	u, err := url.Parse(value)
	switch {
	case value == "", err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme) && domain.IsPort(u.Port()):
		return nil
	case err == nil && !domain.IsPort(u.Port()), err != nil && strings.Contains(err.Error(), "invalid port"):
		return []error{domain.Errorf(domain.Invalid, "The port in %s should be a number from 1 to 65535, as in %s.", key, example)}
	}
	return []error{domain.Errorf(domain.Invalid, "%s should be an address such as %s.", key, example)}
}
