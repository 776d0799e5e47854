package domain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
)

func TestAFieldParsesItsValues(t *testing.T) {
	t.Parallel()
	status := domain.Field{Name: "status", Kind: domain.FieldChoice, Choices: []string{"draft", "Final"}}
	of := func(k domain.FieldKind) domain.Field { return domain.Field{Name: "it", Kind: k} }
	for _, tt := range []struct {
		field domain.Field
		text  string
		want  string // values with bars between them, or the beginning of an error with ! before it
	}{
		{of(domain.FieldText), "  two\n words ", "two words"},
		{of(domain.FieldText), "", ""},
		{of(domain.FieldText), strings.Repeat("x", 401), "!A value of it can have at most 400"},
		{of(domain.FieldNumber), "1500.50", "1500.5"},
		{of(domain.FieldNumber), "-0", "0"},
		{of(domain.FieldNumber), "1,5", `!"1,5" is not a number for it.`},
		{of(domain.FieldNumber), "NaN", `!"NaN" is not a number`},
		{of(domain.FieldDate), "2024-05", "2024-05"},
		{of(domain.FieldDate), "2024-02-30", `!"2024-02-30" is not a date for it.`},
		{of(domain.FieldDate), "31.5.2024", `!"31.5.2024" is not a date`},
		{of(domain.FieldYesNo), "TRUE", "yes"},
		{of(domain.FieldYesNo), "0", "no"},
		{of(domain.FieldYesNo), "maybe", `!"maybe" is neither yes nor no`},
		{of(domain.FieldList), "ash; oak, Ash,", "ash|oak"},
		{status, "FINAL", "Final"},
		{status, "done", `!"done" is none of the choices of status: draft, Final.`},
	} {
		got, err := tt.field.Parse(tt.text)
		said := strings.Join(got, "|")
		if err != nil {
			said = "!" + domain.InWords(err)
		}
		if said != tt.want && (tt.want == "" || tt.want[0] != '!' || !strings.HasPrefix(said, tt.want)) {
			t.Errorf("%s %q: got %s, want %s", tt.field.Kind, tt.text, said, tt.want)
		}
	}
}

func TestADefinitionIsChecked(t *testing.T) {
	t.Parallel()
	for _, f := range []domain.Field{
		{Name: "", Kind: domain.FieldText}, {Name: "a=b", Kind: domain.FieldText}, {Name: "x", Kind: "money"},
		{Name: "status", Kind: domain.FieldChoice}, {Name: "note", Kind: domain.FieldText, Choices: []string{"a"}},
		{Name: strings.Repeat("x", 41), Kind: domain.FieldText},
	} {
		if err := f.Check(); err == nil {
			t.Errorf("%+v passes", f)
		}
	}
	f := domain.Field{Name: " Due  date ", Kind: domain.FieldChoice, Choices: []string{"a, b", "A"}, Property: " Due "}
	if err := f.Check(); err != nil || f.Name != "Due date" || f.FromProperty() != "due" || !slices.Equal(f.Choices, []string{"a", "b"}) {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestALineOfATextStatesAField(t *testing.T) {
	t.Parallel()
	status := domain.Field{Name: "Status", Kind: domain.FieldChoice, Choices: []string{"draft", "final"}}
	for _, tt := range []struct {
		text, want string
		span       domain.Span
	}{
		{"Minutes\n\nStatus: final\n", "final", domain.Span{Start: 9, End: 22}},
		{"Äpfel\n- **status:** Draft.\n", "draft", domain.Span{Start: 6, End: 26}},
		{"Status: unknown\nStatus: draft", "draft", domain.Span{Start: 16, End: 29}},
		{"The status: final", "", domain.Span{}},
		{"Its status is final.", "", domain.Span{}},
	} {
		values, span := status.In(domain.ReadLines(tt.text))
		if got := strings.Join(values, "|"); got != tt.want || span != tt.span {
			t.Errorf("%q: got %q at %v, want %q at %v", tt.text, got, span, tt.want, tt.span)
		}
	}
}

// TestKeysSort checks that sort keys are in the order of values.
func TestKeysSort(t *testing.T) {
	t.Parallel()
	numbers := []string{"-1500.5", "-2", "-0.25", "0", "0.5", "9", "10", "1e9"}
	keys := make([]string, len(numbers))
	for i, n := range numbers {
		keys[i] = domain.FieldNumber.SortKey(n)
	}
	if !slices.IsSorted(keys) {
		t.Errorf("keys of %q are %q", numbers, keys)
	}
}

func TestTermsNameFields(t *testing.T) {
	t.Parallel()
	fields := []domain.Field{
		{ID: "f1", Name: "Status", Kind: domain.FieldChoice, Choices: []string{"draft", "final"}}, {ID: "f2", Name: "due date", Kind: domain.FieldDate},
		{ID: "f3", Name: "topics", Kind: domain.FieldList},
	}
	for _, tt := range []struct {
		term string
		want []string // terms, or an error
	}{
		{"field:status=FINAL", []string{"field:Status=final"}},
		{"field:status", []string{"field:Status"}},
		{"field: due date >= 2024", []string{"field:due date>=2024"}},
		{"field:due date=2023..2024-05", []string{"field:due date>=2023", "field:due date<=2024-05"}},
		{"field:topics=Oak", []string{"field:topics=Oak"}},
		{"field:staus=final", []string{`There is no field "staus". Did you mean Status?`}},
		{"field:author=x", []string{`There is no field "author". The fields are Status, due date, topics.`}},
		{"field:status=done", []string{`"done" is none of the choices of Status: draft, final.`}},
		{"field:status>=final", []string{"Only numbers and dates can be compared; Status is of the kind choice. Write Status=final."}},
		{"field:due date=soon", []string{`"soon" is not a date for due date. Write a day, a month or a year: 2024-05-31, 2024-05 or 2024.`}},
		{"field:=x", []string{`"=x" does not select documents by a field. Write field:status=final, field:year>=2020 or field:year=2020..2024.`}},
	} {
		var s domain.Scope
		err := s.Add(tt.term)
		if err == nil {
			err = s.Resolve(fields)
		}
		got := s.Terms()
		if err != nil {
			got = []string{domain.InWords(err)}
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.term, diff)
		}
	}
	if err := (&domain.FactFilter{Fields: []domain.FieldTerm{{Name: "x"}}}).Resolve(nil); domain.KindOf(err) != domain.Invalid {
		t.Errorf("without fields: %v", err)
	}
}

func TestNearestName(t *testing.T) {
	t.Parallel()
	names := []string{"delete", "entities", "list", "rename", "show", "stop", "summaries"}
	for _, tt := range []struct {
		word, best string
		slip       bool
	}{
		{"lst", "list", true}, {"lsit", "list", true}, {"entity", "entities", true}, {"summary", "summaries", true}, {"delte", "delete", true},
		{"remove", "rename", false}, {"nope", "rename", false}, {"x", "list", false}, {"", "list", false},
	} {
		if best, slip := domain.NearestName(tt.word, names); best != tt.best || slip != tt.slip {
			t.Errorf("NearestName(%q) = %s, %t, want %s, %t", tt.word, best, slip, tt.best, tt.slip)
		}
	}
	if best, slip := domain.NearestName("list", nil); best != "" || slip {
		t.Errorf("of no names: %q, %t", best, slip)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"same", "same", 0}, {"ab", "ba", 2}} {
		if got := domain.Distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
