package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
)

// monitor returns the health of this program.
func (a *app) monitor() *maintenance.Monitor {
	p := maintenance.MonitorParams{
		Program: release(),
		Ledger:  a.ledger, Graph: a.graph, Vectors: a.vectors, Queue: a.queue, Events: a.hub, Kinds: a.kinds(), Answering: a.kinds().Named(questions.Kind),
		Names: a.storeNames(), Can: a.searches, Outgrown: a.maintenance.Outgrown, Disk: a.disk, Models: a.models.Loads, Monitoring: a.monitoring, Gone: a.process.Gone, Now: a.env.now,
	}
	if objects, ok := a.files.(*documents.Objects); ok {
		p.Files = objects.Answers
	}
	return maintenance.NewMonitor(p)
}

// storeNames returns the stores of the settings in words.
func (a *app) storeNames() maintenance.Names {
	names := maintenance.Names{Ledger: "SQLite, clew.db", Graph: "SQLite, graph.db", Vectors: "embedded, vectors.db"}
	if a.cfg.Stores() == config.Fleet {
		names.Ledger = "Postgres"
	}
	if a.cfg.Stores() != config.Embedded {
		names.Graph, names.Vectors = "Neo4j at "+a.cfg.Neo4j.URL, "Qdrant at "+a.cfg.Qdrant.URL
	}
	if a.cfg.Files.URL != "" {
		names.Files = a.cfg.Files.URL
	}
	return names
}

// searches describes what the search index can do.
func (a *app) searches(ctx context.Context, w domain.WorkspaceID) string {
	switch {
	case !a.models.Embeds():
		return "Searches by words only: no embedding model makes vectors."
	case a.vectors.Exact():
		return "Searches by words and vectors, each compared. " + a.waysOfSentences(ctx, w)
	}
	return "Searches by words and vectors, approximately. " + a.waysOfSentences(ctx, w)
}

// waysOfSentences describes when sentences get vectors, how many have them, and what changes with size.
func (a *app) waysOfSentences(ctx context.Context, w domain.WorkspaceID) string {
	e, err := a.maintenance.Embedded(ctx, w)
	most := format.Int(a.cfg.SentenceVectors)
	switch {
	case err != nil:
		return domain.InWords(err)
	case e.Apart:
		return fmt.Sprintf("Of %s sentences, those of the first 50 passages are embedded when a question asks: more than %s (SENTENCE_VECTORS) would need about %s of memory.",
			format.Int(e.Of), most, format.Bytes(int64(e.Of)*sentenceBytes))
	case e.Whole():
		return fmt.Sprintf("Every sentence has a vector, up to %s of them (SENTENCE_VECTORS).", most)
	}
	return fmt.Sprintf("%s embedded: %s of %s.", e.What(), format.Int(e.Done), format.Int(e.Of))
}

// sentenceBytes is about what the vector of a sentence takes in the memory of the embedded index, for 384 dimensions.
const sentenceBytes = 2_000

// leftToEmbed describes how many passages or sentences are embedded, or "" if all are or the index does not say.
func (a *app) leftToEmbed(ctx context.Context, w domain.WorkspaceID) string {
	e, err := a.maintenance.Embedded(ctx, w)
	if err != nil || e.Whole() {
		return ""
	}
	return fmt.Sprintf("%s embedded: %s of %s.", e.What(), format.Int(e.Done), format.Int(e.Of))
}

// diskTimeout limits how long files are counted.
const diskTimeout = time.Second

// disk returns what the data folder holds, and what the states of ended runs
// take; with Postgres there is no folder.
func (a *app) disk(ctx context.Context) maintenance.Disk {
	d := a.dataFolder(ctx)
	kept, err := a.threads.Kept(ctx)
	if err != nil {
		a.log.WarnContext(ctx, "count the states of ended runs", "err", err)
		return d
	}
	name := "States of " + domain.Counted(kept.Threads, "ended run", "ended runs") + ", in the ledger"
	d.Uses = append(d.Uses, maintenance.Use{Name: name, Bytes: kept.Bytes})
	return d
}

func (a *app) dataFolder(ctx context.Context) maintenance.Disk {
	if a.cfg.Stores() == config.Fleet {
		return maintenance.Disk{}
	}
	ctx, cancel := context.WithTimeout(ctx, diskTimeout)
	defer cancel()
	d := maintenance.Disk{Folder: a.cfg.Data, Uses: []maintenance.Use{{Name: "Ledger", Bytes: databaseSize(a.cfg.Path("clew.db"))}}}
	if a.cfg.Stores() == config.Embedded {
		d.Uses = append(d.Uses, maintenance.Use{Name: "Graph", Bytes: databaseSize(a.cfg.Path("graph.db"))}, maintenance.Use{Name: "Search index", Bytes: databaseSize(a.cfg.Path("vectors.db"))})
	}
	if a.cfg.Files.URL == "" {
		files := maintenance.Use{Name: "Uploaded files"}
		files.Bytes, files.More = folderSize(ctx, a.cfg.Path("files"))
		d.Uses = append(d.Uses, files)
	}
	d.Free, d.Known = freeSpace(a.cfg.Data)
	return d
}

// databaseSize returns the bytes that an SQLite database and its log take.
func databaseSize(path string) int64 {
	total := int64(0)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + suffix); err == nil {
			total += info.Size()
		}
	}
	return total
}

// folderSize returns the bytes that the files of a folder take. more reports that ctx ended before all were counted.
// Files that can't be read count nothing.
func folderSize(ctx context.Context, dir string) (total int64, more bool) {
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ctx.Err()
		}
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		return ctx.Err()
	})
	return total, err != nil
}

// writeBackup writes a backup of the workspace of a name, or of everything for "".
func (a *app) writeBackup(ctx context.Context, w io.Writer, workspace string) error {
	source := a.backupSource()
	source.One = workspace
	_, err := backup.Write(ctx, w, source)
	return err
}
