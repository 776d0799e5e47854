-- +goose Up

-- Which version of its file a document holds, from 0, and since when, 0 for since it was added. A document that is
-- read to become the next version of another one names that one until it does.
ALTER TABLE documents ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN version_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN version_of TEXT NOT NULL DEFAULT '';
CREATE INDEX documents_of_file ON documents (workspace_id, hash);
CREATE INDEX documents_named ON documents (workspace_id, name);
CREATE INDEX documents_to_come ON documents (workspace_id, version_of) WHERE version_of <> '';

-- The versions before: what answers may quote, and nothing that is searched.
CREATE TABLE document_versions (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    number       INTEGER NOT NULL, -- from 0
    name         TEXT NOT NULL,
    title        TEXT NOT NULL,
    format       TEXT NOT NULL,
    size         BIGINT NOT NULL,
    hash         TEXT NOT NULL,
    chars        INTEGER NOT NULL,
    chunks       INTEGER NOT NULL,
    run_id       TEXT NOT NULL,
    since        BIGINT NOT NULL,
    until        BIGINT NOT NULL,
    content      TEXT NOT NULL,
    pages        TEXT NOT NULL,
    headings     TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id, number),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX document_versions_by_hash ON document_versions (workspace_id, hash);

-- Which version a citation quotes.
ALTER TABLE citations ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE figure_citations ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE summary_citations ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
