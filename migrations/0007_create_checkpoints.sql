-- +goose Up

-- A thread is one run of a state graph with its resumptions. The token stands
-- for its one writer.
CREATE TABLE threads (
    number      INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    token       BIGINT NOT NULL,
    lease_until BIGINT NOT NULL, -- microseconds
    touched_at  BIGINT NOT NULL
);

-- What a thread did, in the order of seq.
CREATE TABLE checkpoints (
    seq     INTEGER PRIMARY KEY,
    thread  INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    scope   TEXT NOT NULL, -- of a subgraph
    kind    TEXT NOT NULL,
    step    INTEGER NOT NULL,
    task    INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at      BIGINT NOT NULL, -- microseconds
    name    TEXT NOT NULL, -- of a question and its answer
    data    BLOB NOT NULL
);
CREATE INDEX checkpoints_of_thread ON checkpoints (thread, scope);
CREATE INDEX checkpoints_snapshots ON checkpoints (thread, scope, step, seq) WHERE kind = 'snapshot';
CREATE INDEX checkpoints_questions ON checkpoints (thread) WHERE kind IN ('interrupt', 'answer');
