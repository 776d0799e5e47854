package stores

import (
	"bufio"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// importGraph gives a server that does not run yet the graph of fillGraph, in the form in which the store writes it, and returns the
// number of its links. It takes minutes where the store takes hours.
func importGraph(b *testing.B, server *servers.Neo4jServer, chunks int) (links int) {
	dir := b.TempDir()
	file := func(name string, header ...string) (write func(...string), closed func()) {
		f := must(os.Create(filepath.Join(dir, name)))(b)
		buffered := bufio.NewWriter(f)
		w := csv.NewWriter(buffered)
		write = func(row ...string) { check(b, w.Write(row)) }
		write(header...)
		return write, func() {
			w.Flush()
			check(b, w.Error())
			check(b, buffered.Flush())
			check(b, f.Close())
		}
	}
	ws := string(workspace)
	document, closeDocuments := file("documents.csv", "id:ID(d)", "workspace_id", "name", "title", ":LABEL")
	chunk, closeChunks := file("chunks.csv", "id:ID(c)", "workspace_id", "document_id", "index:long", "page:long", "start:long", "end:long", ":LABEL")
	part, closeParts := file("parts.csv", ":START_ID(c)", ":END_ID(d)", ":TYPE")
	for _, d := range documentsOf(0, chunks) {
		document(string(d.ID), ws, d.Name, d.Title, "Document")
		for _, c := range d.Chunks {
			chunk(string(c.ID), ws, string(d.ID), strconv.Itoa(c.Ordinal), "0", "0", "0", "Chunk")
			part(string(c.ID), string(d.ID), "FROM_DOCUMENT")
		}
	}
	entity, closeEntities := file("entities.csv", "id:ID(e)", "workspace_id", "label", "key", "__key", "name", "properties", "mentions:long", "chunks:long", "documents:long", "words", ":LABEL")
	link, closeLinks := file("links.csv", ":START_ID(e)", ":END_ID(c)", "kind:long", ":TYPE")
	eachEntity(chunks, func(e graphstore.Entity) {
		links += len(e.Links)
		words := "_w" + domain.Hash([]byte(ws))[:16] + " _k" + domain.Hash([]byte(e.Key))[:16] + " " + e.Key
		entity(string(e.ID), ws, e.Label, e.Key, e.Key, e.Name, "null", strconv.Itoa(e.Mentions), strconv.Itoa(e.Chunks), "0", words, "__Entity__;"+e.Label)
		for _, l := range e.Links {
			link(string(e.ID), string(l.Chunk), strconv.Itoa(int(l.Kind)), "FROM_CHUNK")
		}
	})
	for _, closed := range []func(){closeDocuments, closeChunks, closeParts, closeEntities, closeLinks} {
		closed()
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	server.Import(b, "--nodes="+at("documents.csv"), "--nodes="+at("chunks.csv"), "--nodes="+at("entities.csv"), "--relationships="+at("parts.csv"), "--relationships="+at("links.csv"))
	return links
}

// eachEntity calls f with the names of a graph, in order.
func eachEntity(chunks int, f func(graphstore.Entity)) {
	random := rand.New(rand.NewPCG(1, 2))
	names := ownNames * chunks
	in := make([][]int32, names)
	zipf := rand.NewZipf(random, 1.2, 3, uint64(names/3))
	for c := range chunks {
		for k := range ownNames {
			in[ownNames*c+k] = append(in[ownNames*c+k], int32(c))
		}
		for range drawnNames {
			n := zipf.Uint64()
			in[n] = append(in[n], int32(c))
		}
	}
	for n := range names {
		slices.Sort(in[n])
		f(madeEntity(n, slices.Compact(in[n])))
		in[n] = nil
	}
}
