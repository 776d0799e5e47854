-- +goose Up

-- What curators decided, in order. An entry has the number of its change and
-- is never altered: taking one back is another entry. It holds ids, and of
-- words those alone that a curator typed.
CREATE TABLE curations (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    kind         TEXT NOT NULL,
    undoes       BIGINT NOT NULL, -- the entry that this one takes back, 0 for none
    operation    TEXT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX curations_undone ON curations (workspace_id, undoes);

-- By which normalised name an entity that the log speaks of is found. The name
-- is '' while no document holds it: it leaves with the last one that does, and
-- comes back with the next.
CREATE TABLE curated_entities (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    entity_id    TEXT NOT NULL,
    entity_key   TEXT NOT NULL,
    PRIMARY KEY (workspace_id, entity_id)
);
