package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphtext"
)

// graphMember finds the beginning of a list of entities or relations.
var graphMember = regexp.MustCompile(`"(entities|relations|nodes|edges|links)"\s*:\s*\[`)

// jsonEntity is an entity in JSON.
type jsonEntity struct {
	ID         jsonText       `json:"id"`
	Name       string         `json:"name"`
	Label      string         `json:"label"`
	Aliases    []string       `json:"aliases"`
	Properties jsonProperties `json:"properties"`
	ByHand     bool           `json:"by_hand"`
}

// jsonRelation is a relation in JSON.
type jsonRelation struct {
	Source     jsonText       `json:"source"`
	Target     jsonText       `json:"target"`
	Type       string         `json:"type"`
	Properties jsonProperties `json:"properties"`
	ByHand     bool           `json:"by_hand"`
}

// jsonProperties are a list of keys and values, or an object.
type jsonProperties []graphtext.Property

// UnmarshalJSON implements json.Unmarshaler.
func (p *jsonProperties) UnmarshalJSON(b []byte) (err error) {
	if b[0] == '{' {
		*p, err = members(string(b))
		return err
	}
	return json.Unmarshal(b, (*[]graphtext.Property)(p))
}

// jsonText is a text or a number.
type jsonText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *jsonText) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, (*string)(t)); err == nil {
		return nil
	}
	err := json.Unmarshal(b, &n)
	*t = jsonText(n)
	return err
}

// json reads an object with lists of entities and relations, an item at a time.
func (g *graphReader) json(s string) error {
	d := json.NewDecoder(strings.NewReader(s))
	err := g.jsonLists(d)
	if err == nil {
		return nil
	}
	if _, ours := domain.MessageOf(err); ours || errors.Is(err, g.ctx.Err()) {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return damagedGraph(err, "JSON", fmt.Sprintf("in line %d", lineOf(s, d.InputOffset())))
}

func (g *graphReader) jsonLists(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		item := func() error { return d.Decode(new(json.RawMessage)) }
		switch name {
		case "entities", "nodes":
			item = func() error { return g.jsonEntity(d) }
		case "relations", "edges", "links":
			item = func() error { return g.jsonRelation(d) }
		default:
			if err := item(); err != nil {
				return err
			}
			continue
		}
		if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
			return errors.Join(err, fmt.Errorf("%q is no list", name))
		}
		for d.More() {
			if err := item(); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (g *graphReader) jsonEntity(d *json.Decoder) error {
	var e jsonEntity
	if err := d.Decode(&e); err != nil {
		return err
	}
	if e.Name == "" { // the label alone says what to call it
		e.Name, e.Label = e.Label, ""
	}
	if e.Name == "" {
		e.Name = string(e.ID)
	}
	return g.entity(string(e.ID), graphtext.Entity{Name: e.Name, Label: e.Label, Aliases: e.Aliases, Properties: append(e.Properties, markByHand(strconv.FormatBool(e.ByHand))...)})
}

func (g *graphReader) jsonRelation(d *json.Decoder) error {
	var r jsonRelation
	if err := d.Decode(&r); err != nil {
		return err
	}
	return g.relation(graphLink{string(r.Source), string(r.Target), r.Type, append(r.Properties, markByHand(strconv.FormatBool(r.ByHand))...)})
}

// members returns the texts, numbers and truth values of a JSON object, in their
// order and with those that repeat.
func members(object string) ([]graphtext.Property, error) {
	if object == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(err, errors.New("no object"))
	}
	var out []graphtext.Property
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		switch value.(type) {
		case string, bool, json.Number:
			out = append(out, graphtext.Property{Key: name, Value: fmt.Sprint(value)})
		}
	}
	return out, nil
}
