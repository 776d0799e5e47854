package parse_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// script writes files with the modules of Python that others use.
const script = `
import csv, email.message, json, mailbox, zipfile
with open("a.csv", "w", newline="") as f:
    w = csv.writer(f, dialect="excel")
    w.writerows([["Item", "Price"], ["Rent, heated", 900], ['The "old" mill', 12], ["two\nlines", 1]])
with open("b.csv", "w", newline="", encoding="utf-16") as f:
    csv.writer(f, dialect="excel-tab").writerows([["Ort", "Jahr"], ["Zürich", 1820]])
with open("a.json", "w") as f:
    json.dump([{"id": 1, "text": "Zoë built the bridge."}, {"id": 2, "text": "It fell."}], f, indent=2)
m = email.message.EmailMessage()
m["Subject"], m["From"], m["To"] = "Grüße aus Zürich", "Zoë <zoe@example.org>", "bob@example.org"
m.set_content("The bridge is open again.\n\nZoë\n")
m.add_alternative("<p>The <b>bridge</b> is open again.</p>", subtype="html")
m.add_attachment("Item,Price\nRent,900\n".encode(), maintype="text", subtype="csv", filename="Preise für Zoë.csv")
open("a.eml", "wb").write(bytes(m))
box = mailbox.mbox("a.mbox")
for _ in range(2):
    box.add(m)
box.flush()
with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name in ["a.csv", "a.eml"]:
        z.write(name, "Büro/" + name)
`

// TestFilesOfTheirOwnProducers reads what Python's csv, json, email, mailbox and
// zipfile write, and what LibreOffice makes of it where that is installed.
func TestFilesOfTheirOwnProducers(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	run(t, dir, python, "-c", script)
	for _, tt := range []struct {
		name string
		want []string // lines with their places
	}{
		{"a.csv", []string{"Row 2: Rent, heated | 900", `Row 3: The "old" mill | 12`, "Row 4: two lines | 1"}},
		{"b.csv", []string{"Row 2: Zürich | 1820"}},
		{"a.json", []string{"Record 1: Zoë built the bridge.", "Record 2: id: 2"}},
		{"a.eml", []string{": Grüße aus Zürich", ": From: Zoë <zoe@example.org>", ": Attached: Preise für Zoë.csv", ": The bridge is open again."}},
		{"a.mbox", []string{"Message 1: Grüße aus Zürich", "Message 2: The bridge is open again."}},
	} {
		checkPlaces(t, dir, tt.name, tt.want)
	}
	data, format := produced(t, dir, "a.zip")
	names, err := unpacked(t, format, string(data))
	if err != nil || len(names) != 2 || !strings.HasPrefix(names[0], "a.csv ") || !strings.HasPrefix(names[1], "a.eml ") {
		t.Errorf("the archive holds %q, %v", names, err)
	}
	office, err := exec.LookPath("soffice")
	if err != nil {
		return
	}
	for ending, want := range map[string][]string{
		"xlsx": {"Sheet a, row 2: Rent, heated | 900"}, "odt": {}, "rtf": {}, "docx": {}, "epub": {},
	} {
		run(t, dir, office, "--headless", "-env:UserInstallation=file://"+dir+"/profile", "--convert-to", ending, source(t, dir, ending))
		checkPlaces(t, dir, "a."+ending, want)
	}
}

// source returns the file that LibreOffice converts to an ending.
func source(t *testing.T, dir, ending string) string {
	t.Helper()
	if ending == "xlsx" {
		return "a.csv"
	}
	if err := os.WriteFile(filepath.Join(dir, "a.html"), []byte("<h1>Report</h1><p>The bridge is open.</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "a.html"
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONIOENCODING=utf-8", "PYTHONUTF8=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// produced returns a file with the format that its name and first bytes tell.
func produced(t *testing.T, dir, name string) ([]byte, domain.Format) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	format, err := parse.Detect(name, data[:min(len(data), 4096)])
	if err != nil {
		t.Fatal(err)
	}
	return data, format
}

func checkPlaces(t *testing.T, dir, name string, want []string) {
	t.Helper()
	data, format := produced(t, dir, name)
	got := fmt.Sprintf("\n%s\n", strings.Join(places(read(t, format, string(data))), "\n"))
	for _, line := range want {
		if !strings.Contains(got, "\n"+line+"\n") {
			t.Errorf("%s has no line %q:\n%s", name, line, got)
		}
	}
}
