-- +goose Up

-- The durable queue. A row is a run and its lease.
CREATE TABLE runs (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL,
    input        TEXT NOT NULL,
    status       TEXT NOT NULL,
    priority     INTEGER NOT NULL, -- higher goes first
    attempt      INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    owner        TEXT NOT NULL,
    lease        BIGINT NOT NULL, -- length in milliseconds
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    stop_asked   INTEGER NOT NULL,
    problem      TEXT NOT NULL,
    settled      INTEGER NOT NULL, -- 1 once its end has been noted on its subject
    created_at   BIGINT NOT NULL,
    started_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL
);
CREATE INDEX runs_to_claim ON runs (status, settled, priority, created_at, id);
CREATE INDEX runs_newest ON runs (workspace_id, created_at, id);
CREATE INDEX runs_of_subject ON runs (workspace_id, subject);
CREATE INDEX runs_of_owner ON runs (owner);

-- The processes that lease runs: enough to tell on the same machine whether
-- one is still alive.
CREATE TABLE workers (
    owner   TEXT PRIMARY KEY,
    host    TEXT NOT NULL,
    boot    TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    started TEXT NOT NULL,
    seen_at BIGINT NOT NULL
);

-- The steps of a run as they were observed.
CREATE TABLE events (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    at           BIGINT NOT NULL,
    json         TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- Which documents the events of a run speak of. A row outlives its document,
-- whose words are thereby known to be among what the run still writes.
CREATE TABLE run_documents (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    document_id  TEXT NOT NULL,
    PRIMARY KEY (run_id, document_id)
);
CREATE INDEX run_documents_by_document ON run_documents (workspace_id, document_id);
