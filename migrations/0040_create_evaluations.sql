-- +goose Up

-- Questions that a person keeps to ask again after each change, with what is
-- expected of their answers. One that was deleted can be taken back for a while.
CREATE TABLE evaluation_questions (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    message_id   TEXT NOT NULL,    -- of the conversation that it was kept from, '' for none
    question     TEXT NOT NULL,
    answers      TEXT NOT NULL,    -- as JSON: words, any of which make an answer right
    sources      TEXT NOT NULL,    -- as JSON: names of documents
    created_at   BIGINT NOT NULL,
    deleted_at   BIGINT NOT NULL,  -- 0: it is kept
    PRIMARY KEY (workspace_id, id)
);

-- Evaluations: kept questions, asked under one setting. Their score is stored once
-- they have ended, so that a history reads no replies.
CREATE TABLE evaluations (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    setting      TEXT NOT NULL,    -- as JSON
    facts        TEXT NOT NULL,    -- as JSON: about the library and the models at the time
    score        TEXT NOT NULL,    -- as JSON
    person       TEXT NOT NULL,
    status       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX evaluations_newest ON evaluations (workspace_id, created_at, id);

-- The questions of an evaluation as they were at the time, with the replies. A reply
-- loses its words with any document that its run has read; its figures stay.
CREATE TABLE evaluation_replies (
    workspace_id  TEXT NOT NULL,
    evaluation_id TEXT NOT NULL,
    n             INTEGER NOT NULL, -- from 1, in the order of asking
    question_id   TEXT NOT NULL,
    question      TEXT NOT NULL,
    answers       TEXT NOT NULL,
    sources       TEXT NOT NULL,
    run_id        TEXT NOT NULL,    -- '' before it is asked
    status        TEXT NOT NULL,
    problem       TEXT NOT NULL,
    answer        TEXT NOT NULL,
    figures       TEXT NOT NULL,    -- as JSON: verdict, ranks, time, tokens, cost
    PRIMARY KEY (workspace_id, evaluation_id, n),
    FOREIGN KEY (workspace_id, evaluation_id) REFERENCES evaluations (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX evaluation_replies_of_run ON evaluation_replies (run_id);
