-- +goose Up

-- Places that are followed: what is new or has changed there is read when they are looked at.
CREATE TABLE sources (
    workspace_id TEXT    NOT NULL REFERENCES workspaces (id),
    id           TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    kind         TEXT    NOT NULL, -- folder, site, feed, bucket or mail
    address      TEXT    NOT NULL,
    rules        TEXT    NOT NULL, -- JSON: what of it is read, and how
    limited      INTEGER NOT NULL, -- what comes from it is for some readers alone, and it is shown to who added it alone
    sealed       TEXT    NOT NULL, -- its password, encrypted; '' for none
    rhythm       TEXT    NOT NULL, -- how often it is looked at; '' for only on demand
    person       TEXT    NOT NULL, -- who added it, for whom it is looked at
    created_at   BIGINT  NOT NULL,
    paused_by    TEXT    NOT NULL,
    paused_at    BIGINT  NOT NULL, -- 0: it is followed
    next_at      BIGINT  NOT NULL, -- when it is looked at again; 0 for no time
    looking      TEXT    NOT NULL, -- the run that looks at it now; '' for none
    failures     BIGINT  NOT NULL, -- looks in a row that failed
    problem      TEXT    NOT NULL, -- why the last one did
    failing_at   BIGINT  NOT NULL, -- since when; 0: the last one did not
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX sources_due ON sources (next_at) WHERE next_at > 0;

-- What is known of the items of a source.
CREATE TABLE source_items (
    workspace_id TEXT   NOT NULL,
    source_id    TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    stamp        TEXT   NOT NULL, -- by which the source tells whether it has changed
    hash         TEXT   NOT NULL, -- of its content
    title        TEXT   NOT NULL,
    documents    TEXT   NOT NULL, -- JSON: ids of those that it gave
    look         TEXT   NOT NULL, -- the run that saw it last
    change       TEXT   NOT NULL, -- new, changed, gone or failed
    change_look  TEXT   NOT NULL, -- the run that saw the change
    change_at    BIGINT NOT NULL,
    problem      TEXT   NOT NULL, -- why it was not read
    PRIMARY KEY (workspace_id, source_id, name),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX source_items_by_change ON source_items (workspace_id, source_id, change, change_at);

-- Looks at sources, each a run.
CREATE TABLE source_looks (
    workspace_id TEXT   NOT NULL,
    source_id    TEXT   NOT NULL,
    run_id       TEXT   NOT NULL,
    began_at     BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- 0: it has not ended
    seen         BIGINT NOT NULL,
    fresh        BIGINT NOT NULL,
    changed      BIGINT NOT NULL,
    gone         BIGINT NOT NULL,
    failed       BIGINT NOT NULL, -- items that could not be read
    left_out     BIGINT NOT NULL,
    problem      TEXT   NOT NULL, -- why it failed; '': it did not
    PRIMARY KEY (workspace_id, source_id, run_id),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX source_looks_by_time ON source_looks (workspace_id, source_id, began_at);
