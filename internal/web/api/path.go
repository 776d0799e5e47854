package api

import (
	"maps"
	"regexp"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// parameter matches a name in a path.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

// unite describes routes at one path whose paths differ only in the names of parameters, which OpenAPI forbids. The path
// that is first in the alphabet gives the names.
func (b book) unite() {
	first := map[string]string{} // path by its shape
	for _, path := range slices.Sorted(maps.Keys(b.Paths)) {
		shape := parameter.ReplaceAllString(path, "{}")
		to, known := first[shape]
		if !known {
			first[shape] = path
			continue
		}
		item := b.Paths[path]
		delete(b.Paths, path)
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op != nil {
				rename(op, parameter.FindAllString(path, -1), parameter.FindAllString(to, -1))
				op.Path = to
				b.AddOperation(op)
			}
		}
	}
}

// rename gives parameters of a path, in braces, other names.
func rename(op *huma.Operation, from, to []string) {
	for _, p := range op.Parameters {
		if i := slices.Index(from, "{"+p.Name+"}"); i >= 0 && p.In == "path" {
			p.Name = to[i][1 : len(to[i])-1]
		}
	}
}
