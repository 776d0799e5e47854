package stated_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose/stated"
)

func TestALineStatesAField(t *testing.T) {
	t.Parallel()
	status := domain.Field{Name: "Status", Kind: domain.FieldChoice, Choices: []string{"draft", "final", "final draft"}}
	for _, tt := range []struct {
		text, want string
		span       domain.Span
	}{
		{"Minutes\n\nStatus: final\n", "final", domain.Span{Start: 9, End: 22}},
		{"Äpfel\n- **status:** Draft.\n", "draft", domain.Span{Start: 6, End: 26}},
		{"Status: unknown\nStatus: draft", "draft", domain.Span{Start: 16, End: 29}},
		{"| Status | Final draft (for the board) |", "final draft", domain.Span{Start: 0, End: 40}},
		{"Status:\n  Draft\n", "draft", domain.Span{Start: 0, End: 15}},
		{"Status:\n\nDraft", "", domain.Span{}},
		{"Stand: final", "final", domain.Span{Start: 0, End: 12}},
		{"Status | Owner | Date\nfinal | Ada | 2021", "", domain.Span{}},
		{"Status: finally", "", domain.Span{}},
		{"Äpfel: drei Status: final Chair: Ada Thorn", "final", domain.Span{Start: 12, End: 26}},
		{"# Due: soon. Status: draft", "draft", domain.Span{Start: 13, End: 26}},
		{"It was late. Status: draft Owner: Ada", "", domain.Span{}},
		{"The status: final", "", domain.Span{}},
		{"Its status is final.", "", domain.Span{}},
	} {
		values, span := stated.Read(tt.text).Find(status, "Status")
		if got := strings.Join(values, "|"); got != tt.want || span != tt.span {
			t.Errorf("%q: got %q at %v, want %q at %v", tt.text, got, span, tt.want, tt.span)
		}
	}
}

func TestTheFirstOfTheNamesIsTaken(t *testing.T) {
	t.Parallel()
	lines := stated.Read("Begins: 2021\nStart: 2020\nBegins: 2019")
	if got, _ := lines.Find(domain.Field{Kind: domain.FieldDate}, "start", "begins"); !slices.Equal(got, []string{"2021"}) {
		t.Errorf("got %q", got)
	}
}

func TestALineStatesSeveralFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, name, want string }{
		{"Status: final Due date: 3 May 2021 Chair: Ada Thorn", "status", "final"},
		{"Status: final Due date: 3 May 2021 Chair: Ada Thorn", "due date", "3 May 2021"},
		{"Status: final Due date: 3 May 2021 Chair: Ada Thorn", "chair", "Ada Thorn"},
		{"Title: Clew: a ball of thread", "title", "Clew: a ball of thread"},
		{"Subject: Re: Minutes Date: 2021", "subject", "Re: Minutes"},
		{"Note: see chapter 3: the mill", "note", "see chapter 3: the mill"},
	} {
		if got, _ := stated.Read(tt.text).Find(domain.Field{Kind: domain.FieldText}, tt.name); strings.Join(got, "|") != tt.want {
			t.Errorf("%q: %s is %q, want %q", tt.text, tt.name, got, tt.want)
		}
	}
}

func TestAddressesAreValuesAndNoNames(t *testing.T) {
	t.Parallel()
	text := domain.Field{Kind: domain.FieldText}
	lines := stated.Read("> Contact: Ada Brandt <ada@example.org>\nSource:\n https://example.org/mill\n")
	for name, want := range map[string]string{"contact": "Ada Brandt <ada@example.org>", "source": "https://example.org/mill", "https": ""} {
		if got, _ := lines.Find(text, name); strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestWordsAreValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind                 domain.FieldKind
		said, language, want string
	}{
		{domain.FieldDate, "3 May 2021, 10:00", "en", "2021-05-03"},
		{domain.FieldDate, "Montag, 3. Mai 2021", "de", "2021-05-03"},
		{domain.FieldDate, "le 14 juillet 1789", "fr", "1789-07-14"},
		{domain.FieldDate, "mayo de 2020", "es", "2020-05"},
		{domain.FieldDate, "from 3 May to 5 June 2021", "en", "2021-05-03"},
		{domain.FieldDate, "until 31 December 2024", "en", "2024-12-31"},
		{domain.FieldDate, "the 1880s", "en", ""},
		{domain.FieldDate, "2021", "", "2021"},
		{domain.FieldDate, "soon", "en", ""},
		{domain.FieldNumber, "EUR 1,250.50 a month", "en", "1250.5"},
		{domain.FieldNumber, "1.250,50 EUR", "", "1250.5"},
		{domain.FieldNumber, "1.500 EUR", "de", "1500"},
		{domain.FieldNumber, "1.500", "en", "1.5"},
		{domain.FieldNumber, "12 500", "", "12500"},
		{domain.FieldNumber, "3,5 %", "", "3.5"},
		{domain.FieldNumber, "3.4 million euros", "en", "3400000"},
		{domain.FieldNumber, "-7", "", "-7"},
		{domain.FieldNumber, "RFC-9110", "", ""},
		{domain.FieldNumber, "10-20", "", ""},
		{domain.FieldNumber, "1.2.3", "", ""},
		{domain.FieldYesNo, "Ja, unterschrieben", "de", "yes"},
		{domain.FieldYesNo, "Non", "fr", "no"},
		{domain.FieldYesNo, "Nobody knows", "en", ""},
		{domain.FieldList, "Ada, Grace ; ada", "", "Ada|Grace"},
		{domain.FieldText, " The Board. ", "", "The Board"},
		{domain.FieldText, strings.Repeat("long ", 100), "", ""},
	} {
		if got := strings.Join(stated.Values(domain.Field{Kind: tt.kind}, tt.said, tt.language), "|"); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.kind, tt.said, got, tt.want)
		}
	}
}

func TestQuotationsHoldValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind         domain.FieldKind
		value, quote string
		want         bool
	}{
		{domain.FieldDate, "2021-05-03", "signed on May 3, 2021 in Bonn", true},
		{domain.FieldDate, "2021-05", "signed on 3 May 2021", true},
		{domain.FieldDate, "2021", "the 2021 report", true},
		{domain.FieldDate, "2021-05-04", "signed on 3 May 2021", false},
		{domain.FieldDate, "2021-05-04", "signed in 2021", false},
		{domain.FieldNumber, "1250", "a sum of 1,250 euros", true},
		{domain.FieldNumber, "125", "a sum of 1,250 euros", false},
		{domain.FieldText, "Ada Brandt", "chaired by ADA  Brandt.", true},
		{domain.FieldText, "Ada", "chaired by Adam", false},
		{domain.FieldChoice, "final", "nothing will change any more", true},
	} {
		if got := stated.Holds(domain.Field{Kind: tt.kind}, []string{tt.value}, tt.quote, "en"); got != tt.want {
			t.Errorf("%q in %q: %t, want %t", tt.value, tt.quote, got, tt.want)
		}
	}
	if stated.Holds(domain.Field{Kind: domain.FieldChoice}, nil, "words", "") {
		t.Error("a quotation holds no value")
	}
}
