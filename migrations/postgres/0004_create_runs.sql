-- +goose Up

-- The durable queue. A row is a run and its lease.
CREATE TABLE runs (
    id           TEXT COLLATE "C" PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL,
    subject      TEXT COLLATE "C" NOT NULL,
    input        TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    priority     BIGINT NOT NULL, -- higher goes first
    attempt      BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    owner        TEXT COLLATE "C" NOT NULL,
    lease        BIGINT NOT NULL, -- length in milliseconds
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    stop_asked   BIGINT NOT NULL,
    problem      TEXT COLLATE "C" NOT NULL,
    settled      BIGINT NOT NULL, -- 1 once its end has been noted on its subject
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
    owner   TEXT COLLATE "C" PRIMARY KEY,
    host    TEXT COLLATE "C" NOT NULL,
    boot    TEXT COLLATE "C" NOT NULL,
    pid     BIGINT NOT NULL,
    started TEXT COLLATE "C" NOT NULL,
    seen_at BIGINT NOT NULL
);

-- The steps of a run as they were observed.
CREATE TABLE events (
    workspace_id TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq          BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    json         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- Which documents the events of a run speak of. A row outlives its document,
-- whose words are thereby known to be among what the run still writes.
CREATE TABLE run_documents (
    workspace_id TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    document_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, document_id)
);
CREATE INDEX run_documents_by_document ON run_documents (workspace_id, document_id);
