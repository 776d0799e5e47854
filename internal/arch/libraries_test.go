package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// homes lists the folders that may import each third-party library, outside tests.
var homes = map[string][]string{
	"github.com/KimMachineGun":         {"cmd/web"},
	"github.com/a-h/templ":             {"views", "internal/web"},
	"github.com/aws/aws-sdk-go-v2":     {"internal/read/object"},
	"github.com/aws/smithy-go":         {"internal/read/object"},
	"github.com/blevesearch":           {"internal/prose", "internal/vectorstore/words"},
	"github.com/boombuler/barcode":     {"views/diagram/qr"},
	"github.com/caarlos0/env":          {"internal/config"},
	"github.com/danielgtaylor/huma":    {"internal/web/api"},
	"github.com/coreos/go-oidc":        {"internal/auth/signon"},
	"github.com/emersion":              {"internal/read/source/place"},
	"github.com/fsnotify/fsnotify":     {"internal/read/folder"},
	"github.com/go-git/go-git":         {"internal/read/git"},
	"github.com/go-json-experiment":    {"internal/upkeep/backup", "internal/checkpoint/sql"},
	"codeberg.org/readeck":             {"internal/read/parse"},
	"github.com/google/uuid":           {"internal/vectorstore/qdrant"},
	"github.com/jackc/pgx":             {"internal/database/postgres"},
	"github.com/klauspost/compress":    {"internal/upkeep/backup", "internal/web"},
	"github.com/labstack/echo":         {"internal/web"},
	"github.com/modelcontextprotocol":  {"internal/web/mcp"},
	"github.com/neo4j/neo4j-go-driver": {"internal/graphstore/neo4j"},
	"github.com/pquerna/otp":           {"internal/auth"},
	"github.com/pressly/goose":         {"migrations"},
	"github.com/qdrant/go-client":      {"internal/vectorstore/qdrant"},
	"github.com/spf13/cobra":           {"cmd/web"},
	"github.com/tiktoken-go":           {"internal/read/chunk"},
	"github.com/tmc/langchaingo":       {"internal/llm/langchain"},
	"github.com/xuri/excelize":         {"internal/read/parse"},
	"github.com/yuin/goldmark":         {"internal/read/parse"},
	"github.com/prometheus":            {"internal/upkeep/telemetry"},
	"go.opentelemetry.io":              {"internal/upkeep/telemetry"},
	"go.yaml.in/yaml":                  {"internal/costs", "internal/mine/schemas", "internal/read/parse"},
	"golang.org/x/crypto":              {"internal/auth"},
	"golang.org/x/image":               {"internal/read/parse", "views/diagram/picture"},
	"golang.org/x/net":                 {"internal/read/parse", "internal/read/source"},
	"golang.org/x/oauth2":              {"internal/auth/signon"},
	"golang.org/x/sync":                {"internal/upkeep/maintenance", "internal/summarize", "internal/answer"},
	"golang.org/x/sys":                 {"internal/read/parse/child", "internal/read/parse/ocr"},
	"golang.org/x/term":                {"cmd/web"},
	"golang.org/x/time":                {"internal/web/bearer"},
	"golang.org/x/text":                {"internal/library/documents", "internal/graphstore/neo4j", "internal/llm/minilm", "internal/read/parse", "internal/prose", "internal/vectorstore/words", "views/lang"},
	"google.golang.org/grpc":           {"internal/vectorstore/qdrant"},
	"google.golang.org/protobuf":       {"internal/llm/minilm", "internal/upkeep/telemetry"},
	"modernc.org/libc":                 {"internal/database/sqlite"},
	"modernc.org/sqlite":               {"internal/database/sqlite"},
}

// strayLibrary returns why dir may not import imp, a library, or "".
func strayLibrary(dir, imp string) string {
	if host, _, _ := strings.Cut(imp, "/"); !strings.Contains(host, ".") || strings.HasPrefix(imp, module) {
		return ""
	}
	for library, folders := range homes {
		if under(imp, library) {
			if underAny(dir, folders) {
				return ""
			}
			return "only " + strings.Join(folders, ", ") + " may import it"
		}
	}
	return "libraries_test.go names no folder that may import it"
}

// TestEveryHomeIsNeeded fails for a library or a folder in homes that is gone.
func TestEveryHomeIsNeeded(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, f := range projectFiles(t) {
		if f.isTest() {
			continue
		}
		for _, imp := range f.imports {
			for library, folders := range homes {
				for _, folder := range folders {
					if under(imp, library) && under(f.dir(), folder) {
						used[library+" in "+folder] = true
					}
				}
			}
		}
	}
	for library, folders := range homes {
		if !strings.Contains(string(mod), "\t"+library) {
			t.Errorf("go.mod does not require %s", library)
		}
		for _, folder := range folders {
			if !used[library+" in "+folder] {
				t.Errorf("no package under %s imports %s", folder, library)
			}
		}
	}
}
