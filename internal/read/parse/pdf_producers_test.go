package parse_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/pdfcpu/pdfcpu/pkg/api"
	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/chromium"
	"github.com/clewhq/clew/internal/testkit/race"
)

// prose returns paragraphs of the sample library: a title, headings that begin
// with #, and text. It holds only characters that every producer can write.
func prose() (paragraphs []string) {
	for _, f := range sample.Files() {
		if !strings.HasSuffix(f.Name, ".md") && f.Name != "ferries-of-the-velm.txt" {
			continue
		}
		for p := range strings.SplitSeq(string(f.Data), "\n\n") {
			p = domain.OneLine(strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "**", "", "é", "e").Replace(p))
			if p != "" && !strings.ContainsAny(p, "|`>[") && !strings.HasPrefix(p, "-") && strings.IndexFunc(p, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
				paragraphs = append(paragraphs, p)
			}
		}
	}
	return append(paragraphs, "The chief official filed five efficient affidavits about the first flood and its effluent.")
}

// htmlOf writes the prose as a page with a table.
func htmlOf(style string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Velmdale</title><style>body{font:11pt/1.35 serif} td{padding:2pt 9pt} %s</style><body>", style)
	for _, p := range prose() {
		tag, text := "p", p
		if strings.HasPrefix(p, "#") {
			tag, text = "h2", strings.TrimLeft(p, "# ")
		}
		fmt.Fprintf(&b, "<%s>%s</%s>\n", tag, html.EscapeString(text), tag)
	}
	return b.String() + "<table><tr><th>Year<th>Casting<th>Ordered by</tr><tr><td>1834<td>Ploughshares, 400<td>Farmers' Store</tr><tr><td>1849<td>Town pump<td>Borough of Osterby</tr></table>"
}

// roff writes the prose for groff's macros ms.
func roff(columns string) string {
	b := strings.Builder{}
	fmt.Fprintf(&b, ".nr PS 10\n.TL\nVelmdale\n%s\n", columns)
	for _, p := range prose() {
		if strings.HasPrefix(p, "#") {
			fmt.Fprintf(&b, ".SH\n%s\n", strings.TrimLeft(p, "# "))
			continue
		}
		fmt.Fprintf(&b, ".PP\n%s\n", strings.ReplaceAll(p, `\`, `\\`))
	}
	return b.String()
}

// written writes the prose by fpdf, in one column or two.
func written(t *testing.T, columns int) []byte {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetHeaderFunc(func() {
		f.SetFont("Helvetica", "I", 8)
		f.SetXY(20, 8)
		f.Cell(0, 5, "Velmdale Papers")
		f.SetXY(20, 25)
	})
	width, column := 170.0/float64(columns)-4*float64(columns-1), 0
	f.SetAcceptPageBreakFunc(func() bool {
		column = (column + 1) % columns
		f.SetLeftMargin(20 + float64(column)*(width+8))
		f.SetXY(20+float64(column)*(width+8), 25)
		return column == 0
	})
	f.SetMargins(20, 25, 20)
	f.AddPage()
	for _, p := range prose() {
		f.SetFont("Times", "", 11)
		if strings.HasPrefix(p, "#") {
			p = strings.TrimLeft(p, "# ")
			f.SetFont("Helvetica", "B", 14)
		}
		f.MultiCell(width, 5.2, p, "", "J", false)
		f.Ln(2)
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A printer makes PDF files with the programs that are installed.
type printer struct {
	t       *testing.T
	dir     string
	made    []string
	missing []string
}

func (p *printer) path(name string) string { return filepath.Join(p.dir, name) }

func (p *printer) write(name string, data []byte) {
	p.t.Helper()
	if err := os.WriteFile(p.path(name), data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// add notes that a program makes name+".pdf", and runs it. In its arguments OUT
// stands for that file. What it writes to its output is the file otherwise.
func (p *printer) add(name, program string, args ...string) {
	p.t.Helper()
	path, err := exec.LookPath(program)
	if err == nil && program == "groff" {
		_, err = exec.LookPath("gropdf")
	}
	if err != nil {
		p.missing = append(p.missing, name+" ("+program+")")
		return
	}
	file := p.path(name + ".pdf")
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "OUT", file)
	}
	cmd := exec.CommandContext(p.t.Context(), path, args...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &out, &said
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1") // Tesseract's threads wait for each other by spinning
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("%s: %v\n%s", name, err, said.String())
	}
	if _, err := os.Stat(file); err != nil {
		p.write(name+".pdf", out.Bytes())
	}
	p.made = append(p.made, name)
}

// print has Chromium print a page.
func (p *printer) print(name, style string, header bool) {
	p.t.Helper()
	if chromium.Program() == "" {
		p.missing = append(p.missing, name+" (chromium)")
		return
	}
	p.write(name+".html", []byte(htmlOf(style)))
	ctx, margin := chromium.Tab(p.t, 800, 600), 0.9
	params := page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69, DisplayHeaderFooter: &header, MarginTop: &margin, MarginBottom: &margin}
	if header {
		params.HeaderTemplate = `<div style="font-size:8pt;margin-left:1cm">Velmdale Papers</div>`
		params.FooterTemplate = `<div style="font-size:8pt;width:100%;text-align:center">Page <span class=pageNumber></span> of <span class=totalPages></span></div>`
	}
	err := chromedp.Do(ctx, chromedp.Navigate("file://"+p.path(name+".html")), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		printed, err := cdp.Call(ctx, t, page.PrintToPDF, params)
		if err == nil {
			p.write(name+".pdf", printed.Data)
		}
		return err
	}))
	if err != nil {
		p.t.Fatal(err)
	}
	p.made = append(p.made, name)
}

// all makes a file by each producer.
func (p *printer) all() {
	p.print("chromium", "", false)
	p.print("chromium-columns", "body{column-count:2;hyphens:auto;text-align:justify}", true)
	p.print("chromium-sans", "body{font:10pt/1.2 sans-serif} p{text-indent:1em;margin:0}", true)
	p.write("fpdf.pdf", written(p.t, 1))
	p.write("fpdf-columns.pdf", written(p.t, 2))
	if err := api.OptimizeFile(p.path("fpdf.pdf"), p.path("pdfcpu.pdf"), nil); err != nil {
		p.t.Fatal(err)
	}
	p.made = append(p.made, "fpdf", "fpdf-columns", "pdfcpu")
	p.write("one.ms", []byte(roff("")))
	p.write("two.ms", []byte(roff(".2C")))
	p.write("flat.html", []byte(htmlOf("")))
	p.add("groff", "groff", "-ms", "-Tpdf", "one.ms")
	p.add("groff-columns", "groff", "-ms", "-Tpdf", "two.ms")
	p.add("htmldoc", "htmldoc", "--quiet", "--webpage", "--format", "pdf14", "-f", "OUT", "flat.html")
	p.add("poppler", "pdfunite", "fpdf.pdf", "fpdf-columns.pdf", "OUT")
	p.add("cairo", "pdftocairo", "-pdf", "fpdf-columns.pdf", "OUT")
	p.add("qpdf", "qpdf", "--object-streams=generate", "--linearize", "fpdf.pdf", "OUT")
	p.add("ghostscript", "gs", "-q", "-sDEVICE=pdfwrite", "-o", "OUT", "fpdf-columns.pdf")
	if ps, err := exec.Command("groff", "-ms", "-Tps", p.path("two.ms")).Output(); err == nil {
		p.write("two.ps", ps)
		p.add("groff-ps2pdf", "gs", "-q", "-sDEVICE=pdfwrite", "-o", "OUT", "two.ps")
	}
	if exec.Command("pdftoppm", "-r", "150", "-gray", "-l", "2", p.path("fpdf.pdf"), p.path("scan")).Run() == nil {
		scans, _ := filepath.Glob(p.path("scan*.pgm"))
		p.write("scans.txt", []byte(strings.Join(scans, "\n")))
		p.add("tesseract", "tesseract", "scans.txt", "-", "--dpi", "150", "pdf")
	}
}

var running = regexp.MustCompile(`(?m)^\f?(Velmdale Papers|Page \d+ of \d+|Page \d+|-\d+-|\d+)$`)

// bagOf counts the words of a text.
func bagOf(text string) map[string]int {
	bag := make(map[string]int)
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		bag[w]++
	}
	return bag
}

// wordF1 compares the words of two texts.
func wordF1(a, b string) float64 {
	x, y := bagOf(a), bagOf(b)
	same, all := 0, 0
	for w, n := range x {
		same, all = same+min(n, y[w]), all+n
	}
	for _, n := range y {
		all += n
	}
	return 2 * float64(same) / float64(max(1, all))
}

// whole returns the share of the prose's sentences that stand unbroken in a text.
func whole(text string) float64 {
	flat := domain.OneLine(text)
	found, all := 0, 0
	for _, p := range prose() {
		for s := range strings.SplitSeq(strings.TrimLeft(p, "# "), ". ") {
			if all++; strings.Contains(flat, s) {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// TestPDFOfManyProducers reads what different programs make of the same prose, and
// compares the words with what pdftotext reads. Lines that run through all pages
// are left out on both sides.
func TestPDFOfManyProducers(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	poppler, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("left out: pdftotext is not installed (poppler-utils)")
	}
	p := printer{t: t, dir: t.TempDir()}
	p.all()
	if len(p.missing) > 0 {
		t.Logf("left out, as their programs are not installed: %s", strings.Join(p.missing, ", "))
	}
	sum := 0.0
	var table strings.Builder
	for _, name := range p.made {
		theirs, err := exec.CommandContext(t.Context(), poppler, p.path(name+".pdf"), "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := produced(t, p.dir, name+".pdf")
		text := read(t, domain.FormatPDF, string(data))
		ours := text.Content
		reference := running.ReplaceAllString(string(theirs), "")
		f1 := wordF1(ours, reference)
		sum += f1
		fmt.Fprintf(&table, "\n| %s | %d | %.3f | %.0f %% | %.0f %% |", name, len(text.Pages), f1, 100*whole(ours), 100*whole(reference))
		if f1 < 0.95 {
			t.Errorf("%s: word F1 %.3f\nours:\n%s\ntheirs:\n%s", name, f1, ours, theirs)
		}
		if dir := os.Getenv("CLEW_PDF_OUT"); dir != "" {
			os.WriteFile(filepath.Join(dir, name+".ours"), []byte(ours+"\n"+strings.Join(text.Warnings, "\n")), 0o600)
			os.WriteFile(filepath.Join(dir, name+".theirs"), theirs, 0o600)
		}
	}
	t.Logf("pages, word F1 against pdftotext, sentences unbroken here and there:%s", table.String())
	if mean := sum / float64(len(p.made)); mean < 0.97 {
		t.Errorf("mean word F1 %.3f of %d files, want 0.97", mean, len(p.made))
	}
}
