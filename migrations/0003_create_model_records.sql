-- +goose Up

-- Vectors by the hash of what was embedded. They are shared by all workspaces:
-- a row tells nothing but a hash, and the same text always gets the same vector.
CREATE TABLE embeddings (
    model     TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    vector    BLOB NOT NULL, -- float32, little endian
    PRIMARY KEY (model, text_hash)
);

-- Answers of models by the key of the request. The owner is what caused the
-- first call of that key; the record goes with it.
CREATE TABLE model_calls (
    key          TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    response     TEXT NOT NULL,
    at           BIGINT NOT NULL
);
CREATE INDEX model_calls_of_document ON model_calls (workspace_id, document_id);
CREATE INDEX model_calls_of_run ON model_calls (workspace_id, run_id);
