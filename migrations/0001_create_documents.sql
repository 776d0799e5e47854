-- +goose Up

-- A workspace and the sequence of its last change. Numbers are handed out by
-- updating this row, so that changes commit in the order of their numbers.
CREATE TABLE workspaces (
    id   TEXT PRIMARY KEY,
    head INTEGER NOT NULL
);

-- Times are Unix milliseconds, 0 for none. Lists and structures are JSON.
CREATE TABLE documents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    title        TEXT NOT NULL,
    words        TEXT NOT NULL, -- name and title in lower case, for the filter of the list
    format       TEXT NOT NULL,
    size         INTEGER NOT NULL,
    hash         TEXT NOT NULL,
    status       TEXT NOT NULL,
    stage        TEXT NOT NULL,
    pages        INTEGER NOT NULL,
    chars        INTEGER NOT NULL,
    chunks       INTEGER NOT NULL,
    chunks_done  INTEGER NOT NULL,
    entities     INTEGER NOT NULL,
    relations    INTEGER NOT NULL,
    reader       TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    problem      TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    took         BIGINT NOT NULL, -- nanoseconds
    published    INTEGER NOT NULL, -- 1 once the projections may see it
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX documents_newest ON documents (workspace_id, created_at, id);

CREATE TABLE texts (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    title        TEXT NOT NULL,
    content      TEXT NOT NULL,
    pages        TEXT NOT NULL,
    headings     TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE chunks (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    ordinal      INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    page         INTEGER NOT NULL,
    headings     TEXT NOT NULL,
    text         TEXT NOT NULL,
    tokens       INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX chunks_in_order ON chunks (workspace_id, document_id, ordinal);

-- The outbox: what the projections have to follow.
CREATE TABLE changes (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    document_id  TEXT NOT NULL,
    deleted      INTEGER NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX changes_of_document ON changes (workspace_id, document_id);
