package pdf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
)

// TestFieldCases reads files in which people met a fault.
func TestFieldCases(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "..", "..", "shared", "data", "field")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("left out: no ../shared beside the project")
	}
	mill := "The mill at Orsen was built in 1880 by Karl Ness. It burned in 1910 and was rebuilt by Rosa Kern. Today it belongs to the harbour board."
	for file, want := range map[string]struct {
		text   string // which the page's begins with
		hidden pdf.Hidden
	}{
		"statement.pdf":     {"Crowns 1930 1931\nSale of fish 1,200 1,300\nHarbour fees 1,237 1,353\n", pdf.Hidden{}},
		"sup.pdf":           {"The reservoir holds 5 x 10⁶ litres of water. It cost 1200 [^3] crowns to build. / Water is H2O in all seas.", pdf.Hidden{}},
		"hebrew_visual.pdf": {"הנמל נבנה בשנת 1880 על ידי דוד כהן הסירה שייכת לרות לוי", pdf.Hidden{}},
		"arabic_visual.pdf": {"الميناء بني عام 1880", pdf.Hidden{}},
		"hidden.pdf":        {"The mill is closed on Monday.", pdf.Hidden{White: true}}, // what is beyond the page is white too,
		"rot90.pdf":         {mill, pdf.Hidden{}},
		"rot180.pdf":        {mill, pdf.Hidden{}},
		"rot270.pdf":        {mill, pdf.Hidden{}},
		"ocrlayer.pdf":      {mill, pdf.Hidden{}},
		"badxref.pdf":       {"The mill at Orsen was built in 1880 by Karl Ness.", pdf.Hidden{}},
		"twocol.pdf":        {"The mill stands on the left bank of the river Orsen and was built by Karl Ness in the year 1880.", pdf.Hidden{}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			c := contentOf(t, string(data))
			got := textOf(c)
			if !strings.HasPrefix(got, want.text) {
				t.Errorf("text (-want +got):\n%s", cmp.Diff(want.text, got))
			}
			if strings.Contains(got, "WORD") {
				t.Errorf("hidden words are in %q", got)
			}
			if c.Hidden != want.hidden {
				t.Errorf("hidden %+v, want %+v", c.Hidden, want.hidden)
			}
			if strings.HasPrefix(file, "statement") && !strings.Contains(got, "\nInsurance 1,422 1,618\n") {
				t.Errorf("no row of the insurance in %q", got)
			}
		})
	}
}
