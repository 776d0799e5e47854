-- +goose Up

ALTER TABLE runs ADD COLUMN spent BIGINT NOT NULL DEFAULT 0; -- millionths of the currency; 0 without a price

-- What a list of runs is narrowed by is read from the index: rows of the table
-- are long, and a filter that few runs meet looks at many.
DROP INDEX runs_newest;
DROP INDEX runs_of_kind;
DROP INDEX runs_asked_by;
CREATE INDEX runs_newest ON runs (workspace_id, created_at, id, title, kind, status, person, tokens, spent, started_at, finished_at);
CREATE INDEX runs_of_kind ON runs (workspace_id, kind, created_at, id, title, status, person, tokens, spent, started_at, finished_at);
CREATE INDEX runs_asked_by ON runs (workspace_id, person, created_at, id, title, kind, status, tokens, spent, started_at, finished_at);
