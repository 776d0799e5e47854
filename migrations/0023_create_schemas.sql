-- +goose Up

-- Versions of the schemas that guide extraction: of the library, or of a tag or
-- a document where one is named. Rows are only added. The highest number is in
-- force; an empty body clears what was there before.
CREATE TABLE schemas (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    number       BIGINT NOT NULL,
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    at           BIGINT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    note         TEXT NOT NULL,
    body         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, number)
);
CREATE INDEX schemas_by_scope ON schemas (workspace_id, document_id, tag, number);

-- With which version a document was read, 0 for none.
ALTER TABLE documents ADD COLUMN schema_number BIGINT NOT NULL DEFAULT 0;
