-- +goose Up

-- What people made of the prompts. A run uses the texts up to the number that was
-- the last when it started, so no row is ever changed.
CREATE TABLE prompt_versions (
    workspace_id TEXT NOT NULL,
    number       BIGINT NOT NULL, -- from 1, over all prompts of the workspace
    role         TEXT NOT NULL,
    text         TEXT NOT NULL, -- '' for the built-in text
    note         TEXT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, number)
);
