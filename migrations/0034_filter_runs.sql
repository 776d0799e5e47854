-- +goose Up

-- What lists of runs are narrowed by. The figures are filled in when a run is
-- settled.
ALTER TABLE runs ADD COLUMN title TEXT NOT NULL DEFAULT ''; -- of its subject, in lower case, cut
ALTER TABLE runs ADD COLUMN tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN capped INTEGER NOT NULL DEFAULT 0; -- 1: it used up its loops
ALTER TABLE runs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0; -- 1: an attempt was cut off
ALTER TABLE runs ADD COLUMN failed_at TEXT NOT NULL DEFAULT ''; -- node
UPDATE runs SET title = SUBSTR(LOWER(COALESCE(
    (SELECT question FROM messages m WHERE m.workspace_id = runs.workspace_id AND m.id = runs.subject),
    (SELECT name FROM documents d WHERE d.workspace_id = runs.workspace_id AND d.id = runs.subject), '')), 1, 200);

-- Titles are read from the index: rows of the table are long.
DROP INDEX runs_newest;
CREATE INDEX runs_newest ON runs (workspace_id, created_at, id, title);
CREATE INDEX runs_of_kind ON runs (workspace_id, kind, created_at, id, title);
CREATE INDEX runs_asked_by ON runs (workspace_id, person, created_at, id, title);
CREATE INDEX runs_not_done ON runs (workspace_id, status, created_at, id) WHERE status <> 'done';
CREATE INDEX runs_capped ON runs (workspace_id, created_at, id) WHERE capped = 1;
CREATE INDEX runs_resumed ON runs (workspace_id, created_at, id) WHERE resumed = 1;
CREATE INDEX runs_failed ON runs (workspace_id, failed_at, created_at, id) WHERE failed_at <> '';

-- Runs of other installations, as they were in their files.
CREATE TABLE run_files (
    workspace_id TEXT NOT NULL,
    run_id       TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    title        TEXT NOT NULL,
    data         BLOB NOT NULL
);
