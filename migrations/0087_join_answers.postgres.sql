-- +goose Up

-- What a run answers has one table: a message of a conversation as it was asked, the message asked otherwise (a branch),
-- or a question of an evaluation. Citations, of the text and of its charts, belong to the run.
CREATE TABLE answers (
    workspace_id    TEXT COLLATE "C" NOT NULL,
    run_id          TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL,    -- '' in an evaluation
    message_id      TEXT COLLATE "C" NOT NULL,    -- '' in an evaluation
    follows         TEXT COLLATE "C" NOT NULL,    -- the run whose answer the message follows; '': that to the message before it
    method          TEXT COLLATE "C" NOT NULL,
    evaluation_id   TEXT COLLATE "C" NOT NULL,    -- '' in a conversation
    n               BIGINT NOT NULL, -- of the evaluation's question
    branch_id       TEXT COLLATE "C" NOT NULL,    -- '': the message as it was asked, or an evaluation
    parent_run      TEXT COLLATE "C" NOT NULL,    -- '': the run begins at the start of the graph
    step            BIGINT NOT NULL, -- of the parent, as pages number them
    super           BIGINT NOT NULL, -- that step, as the parent's graph counts super-steps
    purpose         TEXT COLLATE "C" NOT NULL,
    changes         TEXT COLLATE "C" NOT NULL,    -- as JSON
    question        TEXT COLLATE "C" NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,    -- as JSON
    person          TEXT COLLATE "C" NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    problem         TEXT COLLATE "C" NOT NULL,
    answer          TEXT COLLATE "C" NOT NULL,
    words           TEXT COLLATE "C" NOT NULL,    -- question and answer in lower case, to be searched
    sentences       TEXT COLLATE "C" NOT NULL,    -- as JSON
    figures         TEXT COLLATE "C" NOT NULL,    -- as JSON, without the citations of charts
    created_at      BIGINT NOT NULL
);

INSERT INTO answers SELECT workspace_id, run_id, conversation_id, id, follows, method, '', 0, '', '', 0, 0, '', '', question, scope, '', status, problem, answer,
    words, sentences, figures, created_at FROM messages;
INSERT INTO answers SELECT b.workspace_id, b.run_id, m.conversation_id, m.id, '', m.method, '', 0, b.id, b.parent_run, b.step, b.super, b.purpose, b.changes, b.question, b.scope, b.person, b.status, b.problem, b.answer,
    b.words, b.sentences, CASE WHEN SUBSTR(b.figures, 1, 1) = '[' THEN
        (SELECT COALESCE(JSONB_AGG(f.value #- '{chart,citations}' ORDER BY f.n), '[]')::text FROM JSONB_ARRAY_ELEMENTS(b.figures::jsonb) WITH ORDINALITY AS f (value, n)) ELSE 'null' END, b.created_at
    FROM branches b JOIN messages m ON m.workspace_id = b.workspace_id AND m.id = b.message_id;
INSERT INTO answers SELECT r.workspace_id, r.run_id, '', '', '', '', r.evaluation_id, r.n, '', '', 0, 0, '', '', r.question, '{}', e.person, CASE r.status WHEN 'open' THEN 'waiting' ELSE r.status END, r.problem, r.answer,
    '', 'null', 'null', e.created_at FROM evaluation_replies r JOIN evaluations e ON e.workspace_id = r.workspace_id AND e.id = r.evaluation_id WHERE r.run_id <> '';

CREATE UNIQUE INDEX answers_of_branch ON answers (workspace_id, branch_id) WHERE branch_id <> '';
CREATE UNIQUE INDEX answers_as_asked ON answers (workspace_id, message_id) WHERE branch_id = '' AND message_id <> '';
CREATE INDEX answers_of_message ON answers (workspace_id, message_id, created_at);
CREATE INDEX answers_in_order ON answers (workspace_id, conversation_id, created_at, message_id);
CREATE INDEX answers_of_parent ON answers (workspace_id, parent_run);
CREATE INDEX answers_of_evaluation ON answers (workspace_id, evaluation_id) WHERE evaluation_id <> '';

CREATE TABLE run_citations (
    workspace_id TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    figure       BIGINT NOT NULL, -- 0: the text's, and from 1 those of the answer's charts
    n            BIGINT NOT NULL,
    document     TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    page         BIGINT NOT NULL,
    span_start   BIGINT NOT NULL,
    span_end     BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    place        TEXT COLLATE "C" NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    marks        TEXT COLLATE "C" NOT NULL DEFAULT 'null',
    is_close     BIGINT NOT NULL DEFAULT 0,
    tie          TEXT COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, figure, n)
);

INSERT INTO run_citations SELECT c.workspace_id, m.run_id, 0, c.n, c.document, c.document_id, c.chunk_id, c.page, c.span_start, c.span_end, c.version, c.place, c.text, c.marks, c.is_close, c.tie
    FROM citations c JOIN messages m ON m.workspace_id = c.workspace_id AND m.id = c.message_id;
INSERT INTO run_citations SELECT c.workspace_id, m.run_id, c.figure + 1, c.n, c.document, c.document_id, c.chunk_id, c.page, c.span_start, c.span_end, c.version, c.place, c.text, 'null', 0, ''
    FROM figure_citations c JOIN messages m ON m.workspace_id = c.workspace_id AND m.id = c.message_id;
INSERT INTO run_citations SELECT x.workspace_id, x.run_id, x.figure, (x.c->>'n')::bigint, x.c->>'document', x.c->>'document_id', x.c->>'chunk', (x.c->>'page')::bigint,
        (x.c->'span'->>'start')::bigint, (x.c->'span'->>'end')::bigint, COALESCE((x.c->>'version')::bigint, 0), COALESCE(x.c->>'place', ''), x.c->>'text',
        COALESCE(x.c->>'marks', 'null'), CASE x.c->>'close' WHEN 'true' THEN 1 ELSE 0 END, COALESCE(x.c->>'tie', '')
    FROM (SELECT b.workspace_id, b.run_id, 0 AS figure, c.value AS c FROM branches b, JSONB_ARRAY_ELEMENTS(CASE WHEN SUBSTR(b.citations, 1, 1) = '[' THEN b.citations::jsonb ELSE '[]' END) AS c (value)
        UNION ALL SELECT b.workspace_id, b.run_id, f.n, c.value FROM branches b, JSONB_ARRAY_ELEMENTS(CASE WHEN SUBSTR(b.figures, 1, 1) = '[' THEN b.figures::jsonb ELSE '[]' END) WITH ORDINALITY AS f (value, n),
            JSONB_ARRAY_ELEMENTS(CASE JSONB_TYPEOF(f.value->'chart'->'citations') WHEN 'array' THEN f.value->'chart'->'citations' ELSE '[]' END) AS c (value)) x
    WHERE x.run_id IN (SELECT run_id FROM answers);

CREATE TABLE judgements (
    workspace_id TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    person       TEXT COLLATE "C" NOT NULL,
    good         BIGINT NOT NULL,
    reason       TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (run_id, person)
);
INSERT INTO judgements SELECT workspace_id, run_id, person, good, reason, created_at FROM feedback WHERE run_id IN (SELECT run_id FROM answers);

DROP TABLE citations;
DROP TABLE figure_citations;
DROP TABLE feedback;
DROP TABLE branches;
DROP TABLE messages;
ALTER TABLE run_citations RENAME TO citations;
ALTER TABLE judgements RENAME TO feedback;
CREATE INDEX citations_of_document ON citations (workspace_id, document_id);
CREATE INDEX feedback_newest ON feedback (workspace_id, created_at, run_id);

ALTER TABLE evaluation_replies DROP COLUMN status;
ALTER TABLE evaluation_replies DROP COLUMN problem;
ALTER TABLE evaluation_replies DROP COLUMN answer;
