package openai

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestConditionsBecomeTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		json string
		want []string
		kind domain.Kind // of the error, Internal without one
	}{
		{`{}`, nil, domain.Internal},
		{`{"logical_operator":"and","conditions":[{"name":["language"],"comparison_operator":"is","value":"de"},{"name":"date","comparison_operator":"after","value":"2024-02-28"},{"name":["date"],"comparison_operator":"≤","value":"2024-12-31"}]}`, []string{"lang:de", "from:2024-02-29", "to:2024-12-31"}, domain.Internal},
		{`{"logical_operator":"or","conditions":[{"name":["name"],"comparison_operator":"is","value":"a.txt"},{"name":["name"],"comparison_operator":"=","value":"b.txt"}]}`, []string{"doc:a.txt", "doc:b.txt"}, domain.Internal},
		{`{"conditions":[{"name":["collection"],"comparison_operator":"is","value":"minutes"},{"name":["date"],"comparison_operator":"before","value":"2024-03-01"}]}`, []string{"tag:minutes", "to:2024-02-29"}, domain.Internal},
		{`{"logical_operator":"and","conditions":[{"name":["name"],"comparison_operator":"is","value":"a"},{"name":["name"],"comparison_operator":"is","value":"b"}]}`, nil, domain.Unsupported},
		{`{"logical_operator":"or","conditions":[{"name":["name"],"comparison_operator":"is","value":"a"},{"name":["language"],"comparison_operator":"is","value":"de"}]}`, nil, domain.Unsupported},
		{`{"logical_operator":"or","conditions":[{"name":["date"],"comparison_operator":"<","value":"2024-01-01"},{"name":["date"],"comparison_operator":"<","value":"2025-01-01"}]}`, nil, domain.Unsupported},
		{`{"logical_operator":"xor"}`, nil, domain.Invalid},
		{`{"conditions":[{"name":["colour"],"comparison_operator":"is","value":"red"}]}`, nil, domain.Unsupported},
		{`{"conditions":[{"name":["name","language"],"comparison_operator":"is","value":"red"}]}`, nil, domain.Unsupported},
		{`{"conditions":[{"name":[],"comparison_operator":"is","value":"red"}]}`, nil, domain.Unsupported},
		{`{"conditions":[{"name":["name"],"comparison_operator":"contains","value":"a"}]}`, nil, domain.Unsupported},
		{`{"conditions":[{"name":["name"],"comparison_operator":"is","value":5}]}`, nil, domain.Invalid},
		{`{"conditions":[{"name":["date"],"comparison_operator":"is","value":"2024-01-01"}]}`, nil, domain.Unsupported},
		{`{"conditions":[{"name":["date"],"comparison_operator":"before","value":"yesterday"}]}`, nil, domain.Invalid},
	} {
		var c condition
		if err := json.Unmarshal([]byte(tt.json), &c); err != nil {
			t.Fatal(err)
		}
		got, err := c.within()
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.kind != domain.Internal) || err != nil && domain.KindOf(err) != tt.kind {
			t.Errorf("%s: %v\n%s", tt.json, err, diff)
		}
	}
}
