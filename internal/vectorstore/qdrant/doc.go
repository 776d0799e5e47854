// Package qdrant keeps points on a Qdrant server, which it reaches over gRPC.
//
// An edition is one set of collections: chunks and sentences, each with the named vectors "dense"
// (cosine) and "bm25" (sparse, with IDF on the server), and cursors, which has one point per
// workspace. Their names contain the embedding model and its dimension; an alias for each, clew_chunks
// and so on, points to the live edition. All workspaces share the collections, and every request is
// confined to one of them by its payload.
//
// Qdrant has no transactions. docs/adr/0006 describes how a batch with a cursor is carried out
// nevertheless.
package qdrant
