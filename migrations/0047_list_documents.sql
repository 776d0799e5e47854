-- +goose Up

-- A deletion can be undone for a while: its documents are hidden until delete_at, when they
-- are deleted for good. published is 2 while a published document is hidden.
ALTER TABLE documents ADD COLUMN delete_at BIGINT NOT NULL DEFAULT 0; -- 0: never
ALTER TABLE documents ADD COLUMN deletion TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN keep_quoted INTEGER NOT NULL DEFAULT 0; -- 1: answers keep its sentences
CREATE INDEX documents_to_delete ON documents (workspace_id, delete_at) WHERE delete_at > 0;

-- What the list of documents is sorted by, each with the id, so that a page of a long list is
-- read from its place. documents_counted holds what every page counts.
CREATE INDEX documents_by_name ON documents (workspace_id, SUBSTR(words, 1, 200), id);
CREATE INDEX documents_by_size ON documents (workspace_id, size, id);
CREATE INDEX documents_by_passages ON documents (workspace_id, chunks, id);
CREATE INDEX documents_by_entities ON documents (workspace_id, entities, id);
CREATE INDEX documents_by_state ON documents (workspace_id, status, id);
CREATE INDEX documents_counted ON documents (workspace_id, status, format, reader, chunks, created_at, delete_at);
