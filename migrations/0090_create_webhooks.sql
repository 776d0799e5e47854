-- +goose Up

-- Addresses that are told of events.
CREATE TABLE webhooks (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    url          TEXT NOT NULL,
    events       TEXT NOT NULL, -- as JSON
    secret       TEXT NOT NULL, -- what deliveries are signed with
    person       TEXT NOT NULL, -- who added it
    created_at   BIGINT NOT NULL
);

-- What they are told. A delivery names things by their ids and holds no words of documents.
CREATE TABLE webhook_deliveries (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    webhook_id   TEXT NOT NULL,
    event        TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    next_try     BIGINT NOT NULL, -- 0: it was delivered, or given up
    status       BIGINT NOT NULL, -- of the last answer; 0: there was none
    problem      TEXT NOT NULL,   -- why the last attempt failed; '': it did not
    tried_at     BIGINT NOT NULL
);
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (workspace_id, webhook_id, created_at);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_try) WHERE next_try > 0;
