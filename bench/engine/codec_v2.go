//go:build goexperiment.jsonv2

package main

import (
	"encoding/json/v2"

	"github.com/clewhq/clew/internal/stategraph"
)

type version2 struct{}

func (version2) Marshal(v any) ([]byte, error) { return json.Marshal(v) }

func (version2) Unmarshal(data []byte, v any) error {
	return json.Unmarshal(data, v, json.RejectUnknownMembers(true))
}

// coded is encoding/json/v2, which this experiment of Go brings.
func coded() []stategraph.CompileOption {
	return []stategraph.CompileOption{stategraph.WithCodec(version2{})}
}
