-- +goose Up

-- The same tables as in ../sqlite, which a test sees to. Texts are in the order
-- of their bytes (COLLATE "C"), and integers have 64 bits, as they are there.

-- A workspace and the sequence of its last change. Numbers are handed out by
-- updating this row, so that changes commit in the order of their numbers.
CREATE TABLE workspaces (
    id   TEXT COLLATE "C" PRIMARY KEY,
    head BIGINT NOT NULL
);

-- Times are Unix milliseconds, 0 for none. Lists and structures are JSON.
CREATE TABLE documents (
    workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id),
    id           TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C" NOT NULL,
    words        TEXT COLLATE "C" NOT NULL, -- name and title in lower case, for the filter of the list
    format       TEXT COLLATE "C" NOT NULL,
    size         BIGINT NOT NULL,
    hash         TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    stage        TEXT COLLATE "C" NOT NULL,
    pages        BIGINT NOT NULL,
    chars        BIGINT NOT NULL,
    chunks       BIGINT NOT NULL,
    chunks_done  BIGINT NOT NULL,
    entities     BIGINT NOT NULL,
    relations    BIGINT NOT NULL,
    reader       TEXT COLLATE "C" NOT NULL,
    warnings     TEXT COLLATE "C" NOT NULL,
    problem      TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    took         BIGINT NOT NULL, -- nanoseconds
    published    BIGINT NOT NULL, -- 1 once the projections may see it
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX documents_newest ON documents (workspace_id, created_at, id);

CREATE TABLE texts (
    workspace_id TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C" NOT NULL,
    content      TEXT COLLATE "C" NOT NULL,
    pages        TEXT COLLATE "C" NOT NULL,
    headings     TEXT COLLATE "C" NOT NULL,
    warnings     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE chunks (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    ordinal      BIGINT NOT NULL,
    span_start   BIGINT NOT NULL,
    span_end     BIGINT NOT NULL,
    page         BIGINT NOT NULL,
    headings     TEXT COLLATE "C" NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    tokens       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX chunks_in_order ON chunks (workspace_id, document_id, ordinal);

-- The outbox: what the projections have to follow.
CREATE TABLE changes (
    workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    deleted      BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX changes_of_document ON changes (workspace_id, document_id);
