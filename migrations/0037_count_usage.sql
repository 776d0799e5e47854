-- +goose Up

-- What models used, added up by day and by what it was used for. A row has no words
-- of a document, and outlives its document and its run: the money is spent.
CREATE TABLE model_usage (
    workspace_id TEXT NOT NULL,
    day          TEXT NOT NULL, -- in UTC: 2026-11-23
    model        TEXT NOT NULL,
    role         TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    person       TEXT NOT NULL,
    calls        BIGINT NOT NULL,
    input        BIGINT NOT NULL, -- tokens, cached ones included
    cached       BIGINT NOT NULL,
    output       BIGINT NOT NULL,
    embedded     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, day, model, role, document_id, run_id, person)
);
CREATE INDEX model_usage_of_run ON model_usage (workspace_id, run_id) WHERE run_id <> '';
CREATE INDEX model_usage_of_document ON model_usage (workspace_id, document_id) WHERE document_id <> '';
