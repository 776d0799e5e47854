-- +goose Up

-- Questions that a person keeps to ask again after each change, with what is
-- expected of their answers. One that was deleted can be taken back for a while.
CREATE TABLE evaluation_questions (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,    -- of the conversation that it was kept from, '' for none
    question     TEXT COLLATE "C" NOT NULL,
    answers      TEXT COLLATE "C" NOT NULL,    -- as JSON: words, any of which make an answer right
    sources      TEXT COLLATE "C" NOT NULL,    -- as JSON: names of documents
    created_at   BIGINT NOT NULL,
    deleted_at   BIGINT NOT NULL,  -- 0: it is kept
    PRIMARY KEY (workspace_id, id)
);

-- Evaluations: kept questions, asked under one setting. Their score is stored once
-- they have ended, so that a history reads no replies.
CREATE TABLE evaluations (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    setting      TEXT COLLATE "C" NOT NULL,    -- as JSON
    facts        TEXT COLLATE "C" NOT NULL,    -- as JSON: about the library and the models at the time
    score        TEXT COLLATE "C" NOT NULL,    -- as JSON
    person       TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX evaluations_newest ON evaluations (workspace_id, created_at, id);

-- The questions of an evaluation as they were at the time, with the replies. A reply
-- loses its words with any document that its run has read; its figures stay.
CREATE TABLE evaluation_replies (
    workspace_id  TEXT COLLATE "C" NOT NULL,
    evaluation_id TEXT COLLATE "C" NOT NULL,
    n             BIGINT NOT NULL, -- from 1, in the order of asking
    question_id   TEXT COLLATE "C" NOT NULL,
    question      TEXT COLLATE "C" NOT NULL,
    answers       TEXT COLLATE "C" NOT NULL,
    sources       TEXT COLLATE "C" NOT NULL,
    run_id        TEXT COLLATE "C" NOT NULL,    -- '' before it is asked
    status        TEXT COLLATE "C" NOT NULL,
    problem       TEXT COLLATE "C" NOT NULL,
    answer        TEXT COLLATE "C" NOT NULL,
    figures       TEXT COLLATE "C" NOT NULL,    -- as JSON: verdict, ranks, time, tokens, cost
    PRIMARY KEY (workspace_id, evaluation_id, n),
    FOREIGN KEY (workspace_id, evaluation_id) REFERENCES evaluations (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX evaluation_replies_of_run ON evaluation_replies (run_id);
