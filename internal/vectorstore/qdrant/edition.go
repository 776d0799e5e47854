package qdrant

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// edition is one set of collections.
type edition struct {
	prefix    string
	name      string // the end of its collections' names: model, dimension, number
	embedding vectorstore.Embedding
}

// cursors is the collection with one point for each workspace, its cursor.
const cursors = "cursors"

// kinds lists the collections of an edition. The cursors come last: an edition
// whose creation was interrupted lacks them and is not live.
func kinds() []string {
	all := lists.Map(vectorstore.Collections(), func(c vectorstore.Collection) string { return string(c) })
	return append(all, cursors)
}

// of returns the name of a collection on the server.
func (g *edition) of(kind string) string { return alias(g.prefix, kind) + "_" + g.name }

func (g *edition) collection(c vectorstore.Collection) string { return g.of(string(c)) }

func alias(prefix, kind string) string { return prefix + "_" + kind }

// family returns the part of the name that all editions of a model and dimension
// share. A hash distinguishes models whose names are not valid in a collection's
// name.
func family(e vectorstore.Embedding) string {
	if e.Dimension == 0 {
		return "words_0"
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(e.Model))
	const readable = 40
	return fmt.Sprintf("%s-%08x_%d", plain[:min(len(plain), readable)], hash(e.Model), e.Dimension)
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// number returns the number at the end of an edition's name.
func number(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndex(name, "_")+1:])
	if err != nil {
		return 0
	}
	return n
}

// live returns the edition that the aliases point to, or nil without one. It
// returns known if that is still live.
func (s *server) live(ctx context.Context, known *edition) (*edition, error) {
	var aliases []*qdrant.AliasDescription
	err := s.call(ctx, reading, "read the aliases", func(ctx context.Context) (err error) {
		aliases, err = s.client.ListAliases(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(aliases, func(a *qdrant.AliasDescription) bool { return a.GetAliasName() == alias(s.Prefix, cursors) })
	if at < 0 {
		return nil, nil
	}
	name := strings.TrimPrefix(aliases[at].GetCollectionName(), alias(s.Prefix, cursors)+"_")
	if known != nil && known.name == name {
		return known, nil
	}
	g := &edition{prefix: s.Prefix, name: name}
	err = s.call(ctx, reading, "read about the index", func(ctx context.Context) error {
		info, err := s.client.GetCollectionInfo(ctx, g.of(cursors))
		about := info.GetConfig().GetMetadata()
		g.embedding = vectorstore.Embedding{Model: about[aboutModel].GetStringValue(), Dimension: int(about[aboutDimension].GetIntegerValue())}
		return err
	})
	return g, err
}

// editions lists the names of the editions on the server.
func (s *server) editions(ctx context.Context) ([]string, error) {
	var names []string
	err := s.call(ctx, reading, "list the collections", func(ctx context.Context) error {
		collections, err := s.client.ListCollections(ctx)
		names = nil
		for _, c := range collections {
			if name, ok := strings.CutPrefix(c, alias(s.Prefix, cursors)+"_"); ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return err
	})
	return names, err
}
