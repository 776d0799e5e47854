package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// uploadList sends a list of values, as the page of fields does.
func (b *bench) uploadList(t *testing.T, csv string) reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", "values.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte(csv))
	w.Close()
	return b.do(t, http.MethodPost, link.ImportValues, &body, "Content-Type", w.FormDataContentType())
}

// TestFields defines fields, sets them from a list and by hand, narrows the list of documents by them, and takes a change back.
func TestFields(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	bells, school := b.Read(t, "foundry.txt", foundry), b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	if body := b.get(t, "/fields").main(t); !strings.Contains(body, "There is none yet.") {
		t.Errorf("without fields the page says %s", body)
	}
	if page := b.post(t, "/fields", url.Values{"name": {"status"}, "kind": {"choice"}}); page.status != http.StatusUnprocessableEntity || !strings.Contains(page.main(t), "Write the choices of status") {
		t.Errorf("a choice without choices: %d %s", page.status, page.main(t))
	}
	b.postAndFollow(t, "/fields", url.Values{"name": {"status"}, "kind": {"choice"}, "choices": {"draft, final"}, "in_list": {"true"}})
	if page := b.postAndFollow(t, "/fields", url.Values{"name": {"year"}, "kind": {"number"}}); !strings.Contains(page.body, "Defined the field “year”.") {
		t.Errorf("after defining a field: %s", page.main(t))
	}

	fields, err := b.Ledger.Fields(t.Context(), testkit.Workspace)
	if err != nil || len(fields) != 2 {
		t.Fatalf("%v, %v", fields, err)
	}
	columns := func(want string) {
		t.Helper()
		body := b.get(t, "/documents").body
		for _, f := range fields {
			if got := strings.Contains(body, `value="`+string(f.ID)+`" checked`); got != (f.Name == want) {
				t.Errorf("%s is a column: %t, want %s", f.Name, got, want)
			}
		}
	}
	columns("status")
	b.postAndFollow(t, link.Columns, url.Values{"fields": {string(fields[1].ID)}})
	columns("year")
	b.postAndFollow(t, link.Columns, url.Values{"usual": {"true"}})
	columns("status")

	preview := b.uploadList(t, "file,status,year,colour\nfoundry.txt,final,1871\nnowhere.txt,draft,1900\n")
	if preview.status != http.StatusUnprocessableEntity || !strings.Contains(preview.main(t), "Row 2 can't be read") {
		t.Errorf("a ragged list: %d %s", preview.status, preview.main(t))
	}
	preview = b.uploadList(t, "file,status,year\nfoundry.txt,done,\"1,871\"\n")
	if said := preview.main(t); !strings.Contains(said, "is none of the choices of status") || !strings.Contains(said, "Nothing was changed") {
		t.Errorf("a list with wrong values: %s", said)
	}
	const list = "file;status;year;colour\nfoundry.txt;final;1871;red\nnowhere.txt;draft;1900;\n"
	preview = b.uploadList(t, list)
	if said := preview.main(t); !strings.Contains(said, "1 of 2 rows match documents.") || !strings.Contains(said, "colour") || !strings.Contains(said, "nowhere.txt") {
		t.Errorf("the preview says %s", said)
	}
	if set := b.postAndFollow(t, link.ImportValues, url.Values{"csv": {list}}); !strings.Contains(set.body, "of 1 document from a list") {
		t.Errorf("after the import: %s", set.main(t))
	}
	b.postAndFollow(t, "/documents/chosen", url.Values{"act": {"set"}, "document": {string(school.ID)}, "of": {"status"}, "to_value": {"draft"}})

	shows := func(path string, want ...bool) {
		t.Helper()
		body := b.get(t, path).body
		for i, name := range []string{">foundry.txt<", ">school.txt<"} {
			if strings.Contains(body, name) != want[i] {
				t.Errorf("%s shows %s: %t", path, name, !want[i])
			}
		}
	}
	shows("/documents", true, true)
	shows("/documents?field=status%3Dfinal", true, false)
	shows("/documents?field=status%3Dfinal&field=status%3Ddraft", true, true)
	shows("/documents?field=year%3E%3D1900", false, false)
	shows("/documents?field=year", true, false)
	if page := b.get(t, "/documents?field=staus%3Dfinal"); page.status != http.StatusBadRequest && page.status != http.StatusUnprocessableEntity || !strings.Contains(page.body, "Did you mean status?") {
		t.Errorf("an unknown field: %d %s", page.status, page.main(t))
	}
	page := b.get(t, "/documents?field=status%3Dfinal")
	if !strings.Contains(page.body, `data-testid="facets"`) || !strings.Contains(page.body, "field=status%3Dfinal&amp;field=status%3Ddraft") {
		t.Error("the facets don't offer the other status")
	}
	at := func(path string) (first, second int) {
		body := b.get(t, path).body
		return strings.Index(body, ">foundry.txt<"), strings.Index(body, ">school.txt<")
	}
	if f, s := at("/documents?sort=field:status"); s > f {
		t.Error("draft does not come before final")
	}
	if f, s := at("/documents?sort=-field:status"); f > s {
		t.Error("final does not come before draft from the end")
	}

	doc := "/documents/" + string(bells.ID)
	panel := b.get(t, doc)
	if said := panel.main(t); !strings.Contains(said, "from a list") {
		t.Errorf("the document says %s", said)
	}
	changed := b.postAndFollow(t, doc+"/fields", url.Values{"field-" + string(fields[0].ID): {"draft"}, "field-" + string(fields[1].ID): {"1871"}})
	if !strings.Contains(changed.body, "Set “status” of 1 document to “draft”.") || !strings.Contains(changed.main(t), "by hand") {
		t.Errorf("by hand: %s", changed.main(t))
	}
	shows("/documents?field=status%3Ddraft", true, true)
	b.postAndFollow(t, doc+"/fields", url.Values{"forget": {string(fields[0].ID)}})
	shows("/documents?field=status%3Dfinal", true, false)

	options := b.get(t, "/ask/within?q=%23status%3Dfi").body
	if !strings.Contains(options, "field:status=final") {
		t.Errorf("the composer offers %s", options)
	}
	if export := b.get(t, "/fields/export"); export.body != "file,status,year\nschool.txt,draft,\nfoundry.txt,final,1871\n" && export.body != "file,status,year\nfoundry.txt,final,1871\nschool.txt,draft,\n" {
		t.Errorf("the export is %q", export.body)
	}
	b.postAndFollow(t, "/fields/"+string(fields[0].ID), url.Values{"name": {"state"}, "choices": {"draft, final, gone"}, "property": {""}})
	shows("/documents?field=state%3Dfinal", true, false)
	deleted := b.postAndFollow(t, "/fields/"+string(fields[0].ID)+"/delete", nil)
	if !strings.Contains(deleted.body, "Deleted the field “state”.") || strings.Contains(b.get(t, "/documents").body, "?field=state") {
		t.Errorf("after deleting the field: %s", deleted.main(t))
	}
	changes := b.get(t, link.Changes).main(t)
	for _, said := range []string{"Defined the field “status”", "Renamed the field “status” to “state”", "Deleted the field “state”"} {
		if !strings.Contains(changes, said) {
			t.Errorf("the changes don't say %s: %s", said, changes)
		}
	}
}
