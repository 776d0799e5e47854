package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestGraphs(t *testing.T) {
	t.Parallel()
	both := "Ada (Person) | entity | also called A. K. | born: 1815\nMill (Place) | entity | by_hand: yes\nAda (Person) | WALKED_TO | Mill (Place) | since: 1833 | by_hand: yes"
	bare := "Ada (Entity) | WALKED_TO | Mill (Entity)"
	for name, tt := range map[string]struct{ file, want string }{
		"GraphML of Clew": {`<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="name" for="node" attr.name="name" attr.type="string"/><key id="edge_type" for="edge" attr.name="type"/><key id="edge_evidence" for="edge" attr.name="evidence"/><key id="edge_properties" for="edge" attr.name="properties"/><key id="edge_by_hand" for="edge" attr.name="by_hand"/><graph edgedefault="directed">
<node id="1"><data key="name">Ada</data><data key="label">Person</data><data key="aliases">A. K.</data><data key="mentions">3</data><data key="properties">{"born":"1815"}</data></node>
<node id="2"><data key="name">Mill</data><data key="label">Place</data><data key="by_hand">true</data></node>
<edge id="3" source="1" target="2"><data key="edge_type">WALKED_TO</data><data key="edge_evidence">0</data><data key="edge_properties">{"since":"1833"}</data><data key="edge_by_hand">true</data></edge></graph></graphml>`, both},
		"GraphML of another program": {`<graphml><key id="d0" attr.name="label"/><key id="d1" attr.name="type"/><key id="d2" attr.name="born"/><graph>
<edge source="n1" target="n2"><data key="d0">WALKED_TO</data><data key="weight">2</data></edge>
<node id="n1"><data key="d0">Ada</data><data key="d1">Person</data><data key="d2">1815</data></node><node id="n2"/></graph></graphml>`,
			"Ada (Person) | entity | type: Person | born: 1815\nn2 (Entity) | entity\nAda (Person) | WALKED_TO | n2 (Entity) | weight: 2"},
		"JSON of Clew": {`{"entities":[
{"id":"1","label":"Person","key":"ada","name":"Ada","aliases":["A. K."],"properties":[{"key":"born","value":"1815"}],"mentions":1},
{"id":"2","label":"Place","name":"Mill","by_hand":true}
],"relations":[
{"id":"3","source":"1","target":"2","type":"WALKED_TO","properties":[{"key":"since","value":"1833"}],"evidence":null,"by_hand":true}
]}`, both},
		"JSON of another program": {`{"directed":true,"graph":{"a":[1,{}]},"links":[{"source":1,"target":2,"type":"WALKED_TO","properties":{"on foot":true,"since":1833,"with":null,"via":["a"]}}],"nodes":[{"id":1,"name":"Ada"},{"id":2,"label":"Mill"}]}`,
			"Ada (Entity) | entity\nMill (Entity) | entity\n" + bare + " | on foot: true | since: 1833"},
		"CSV of Clew":              {"kind,id,name,label,aliases,mentions,documents,properties,source,target,type,evidence,sources,by_hand\nentity,1,Ada,Person,A. K.,1,1,\"{\"\"born\"\":\"\"1815\"\"}\",,,,,,\nentity,2,Mill,Place,,0,0,,,,,,,true\nrelation,3,,,,,,\"{\"\"since\"\":\"\"1833\"\"}\",1,2,WALKED_TO,0,,true\n", both},
		"a list":                   {"source,type,target\nAda,WALKED_TO,Mill\n", bare},
		"a list with labels":       {"From;Relation;To;source_label;Weight\r\nAda;WALKED_TO;Mill;Person;3\r\n", "Ada (Person) | WALKED_TO | Mill (Entity)"},
		"a list with tabs":         {"\ufeffsource\ttarget\nAda\tMill\n", "Ada (Entity) | RELATED_TO | Mill (Entity)"},
		"apostrophes of a list":    {"source,type,target\n's-Hertogenbosch,IN,Brabant\n", "'s-Hertogenbosch (Entity) | IN | Brabant (Entity)"},
		"apostrophes of Clew":      {"kind,id,name,label,source,target,type\nentity,1,''s-Hertogenbosch,Place,,,\nentity,2,'=1+1,,,,\n", "'s-Hertogenbosch (Place) | entity\n=1+1 (Entity) | entity"},
		"names with marks":         {"source,type,target\na | b,IN,\"c\nd\\\"\n", `a \| b (Entity) | IN | c d\\ (Entity)`},
		"a row without a name":     {"source,type,target\n,IN,b\na,IN,b\n", "a (Entity) | IN | b (Entity)"},
		"a name that is too long":  {"source,type,target\n" + strings.Repeat("x", 301) + ",IN,b\na,IN,b\n", "a (Entity) | IN | b (Entity)"},
		"an entity with long text": {`{"nodes":[{"id":"1","name":"a","properties":[{"key":"k","value":"` + strings.Repeat("y", 600) + `"}]}]}`, "a (Entity) | entity | k: " + strings.Repeat("y", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if f, err := parse.Detect("upload", []byte(tt.file)); err != nil || f != domain.FormatGraph {
				t.Errorf("detected as %q, %v", f, err)
			}
			text, err := parse.New(parse.Limits{}).Parse(t.Context(), "g", domain.FormatGraph, []byte(tt.file))
			if err != nil {
				t.Fatal(domain.InWords(err))
			}
			if text.Content != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text.Content, tt.want)
			}
			checkText(t, text)
		})
	}
}

func TestDamagedGraphsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`<graph><node id="n">`, 60)
	for name, tt := range map[string]struct{ file, want string }{
		"no columns":              {"date,price\n1,2\n", "columns source and target"},
		"a quote that stays open": {"source,type,target\na,\"IN,b\nc,IN,d\n", "damaged in line 3"},
		"a bare quote":            {"source,type,target\na,I\"N,b\n", "damaged in line 2"},
		"XML that ends":           {"<graphml><graph>\n<node id=\"1\">", "damaged in line 2"},
		"XML that is crossed":     {"<graphml><graph><node></graph></node></graphml>", "damaged in line 1"},
		"entities of XML":         {"<graphml>\n<graph><node id=\"1\"><data key=\"name\">&lol9;</data></node></graph></graphml>", "damaged in line 2"},
		"a bomb":                  {`<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><graphml><graph><node id="1"><data key="name">&b;</data></node></graph></graphml>`, "declares a document type"},
		"an outside entity":       {`<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml><graph/></graphml>`, "declares a document type"},
		"deep XML":                {"<graphml>" + deep, "nested more than 100 levels"},
		"JSON that ends":          {`{"nodes":[{"id":"1"`, "damaged in line 1"},
		"JSON without lists":      {`{"nodes":{"a":1}}`, "damaged in line 1"},
		"deep JSON":               {`{"x":` + strings.Repeat("[", 20_000), "damaged in line 1"},
		"numbers as names":        {`{"nodes":[{"name":{"a":1}}]}`, "damaged in line 1"},
		"binary":                  {"source,target\n\x00\x01\x02", "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse.New(parse.Limits{}).Parse(t.Context(), "g", domain.FormatGraph, []byte(tt.file))
			message, ok := domain.MessageOf(err)
			if !ok || domain.KindOf(err) != domain.Invalid || !strings.Contains(message, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestGraphsAreBounded(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	var rows, names strings.Builder
	rows.WriteString("source,type,target\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&rows, "a%d,IN,b%d\n", i, i)
	}
	long := strings.Repeat("ж", 300)
	fmt.Fprintf(&names, `{"nodes":[{"id":"1","name":"%s"},{"id":"2","name":"%s"}],"links":[`, long, long+"")
	for i := range 400_000 {
		if i > 0 {
			names.WriteByte(',')
		}
		names.WriteString(`{"source":"1","target":"2"}`)
	}
	names.WriteString("]}")
	for name, file := range map[string]string{"a million rows": rows.String(), "long names, often": names.String()} {
		_, err := parse.New(parse.Limits{}).Parse(t.Context(), "g", domain.FormatGraph, []byte(file))
		if domain.KindOf(err) != domain.TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamesTellWhatAGraphIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		head string
		want domain.Format
	}{
		"a.csv": {"source,target\n", domain.FormatGraph}, "a.json": {`{"nodes": [`, domain.FormatGraph}, "a.graphml": {"<graphml>", domain.FormatGraph},
		"a.txt": {"source,target\nthe names of two columns", domain.FormatText}, "a.md": {"source,target", domain.FormatMarkdown},
		"prices.csv": {"date,price\n", domain.FormatTable}, "config.json": {`{"a": 1}`, domain.FormatRecords}, "b.graphml": {"words", ""}, "letter": {"Dear Ada,\nfrom here to there", domain.FormatText},
	} {
		got, err := parse.Detect(name, []byte(tt.head))
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s is %q, %v", name, got, err)
		}
		if err != nil && !strings.Contains(domain.InWords(err), "columns source and target") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
