package link

import (
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// The addresses of schemas. The query parameters "tag", "name" and "document" name
// what the schema is for; without them it is the library's.
const (
	Schema         = "/schema"          // POST: check, change or save the form
	SchemaVersions = "/schema/versions" // and the difference between two of them
	SchemaYAML     = "/schema/yaml"     // as text; POST: use a text as a draft
	SchemaFile     = "/schema/file"     // download it

	AnySchemaVersion = SchemaVersions + "/:number" // see SchemaVersion
	RestoreAnySchema = AnySchemaVersion + "/restore"
)

// A SchemaScope is the set of documents that a schema is for.
type SchemaScope = domain.SchemaScope

// SchemaOf returns an address of schemas for a scope, with more query parameters.
func SchemaOf(address string, of SchemaScope, params ...string) string {
	return With(address, append([]string{"tag", of.Tag, "name", of.Name, "document", string(of.Document)}, params...)...)
}

// SchemaVersion returns the page of a version of a schema.
func SchemaVersion(number int64) string {
	return fill(AnySchemaVersion, strconv.FormatInt(number, 10))
}

// RestoreSchema returns the address that saves a version once more, by POST.
func RestoreSchema(number int64) string { return SchemaVersion(number) + "/restore" }
