-- Entities and chunks go by numbers within the file, like workspaces; the ids
-- that everybody else uses stand in their own rows only.
CREATE TABLE documents (
    workspace INTEGER NOT NULL,
    id        TEXT NOT NULL,
    name      TEXT NOT NULL,
    title     TEXT NOT NULL,
    PRIMARY KEY (workspace, id)
) WITHOUT ROWID;

-- What the projector keeps about documents, apart from them because most queries
-- don't want it.
CREATE TABLE notes (
    workspace INTEGER NOT NULL,
    document  TEXT NOT NULL,
    notes     BLOB NOT NULL,
    PRIMARY KEY (workspace, document)
) WITHOUT ROWID;

CREATE TABLE chunks (
    num       INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL,
    id        TEXT NOT NULL,
    document  TEXT NOT NULL,
    ordinal   INTEGER NOT NULL,
    page      INTEGER NOT NULL,
    start     INTEGER NOT NULL,
    stop      INTEGER NOT NULL,
    UNIQUE (workspace, id)
);
CREATE INDEX chunks_document ON chunks (workspace, document, ordinal, id);

CREATE TABLE entities (
    num        INTEGER PRIMARY KEY,
    workspace  INTEGER NOT NULL,
    id         TEXT NOT NULL,
    label      TEXT NOT NULL,
    key        TEXT NOT NULL,
    name       TEXT NOT NULL,
    aliases    TEXT NOT NULL, -- JSON
    alias_keys TEXT NOT NULL, -- one a line
    properties TEXT NOT NULL, -- JSON
    mentions   INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    documents  INTEGER NOT NULL,
    tally      TEXT NOT NULL,
    unlisted   INTEGER NOT NULL,
    UNIQUE (workspace, id)
);
-- For reading a whole workspace in the order of the file.
CREATE INDEX entities_workspace ON entities (workspace);
CREATE INDEX entities_mentions ON entities (workspace, unlisted, mentions DESC, name, id);
CREATE INDEX entities_name ON entities (workspace, unlisted, name, id);

-- Every key an entity is found by: its own and those of its aliases.
CREATE TABLE entity_keys (
    workspace INTEGER NOT NULL,
    key       TEXT NOT NULL,
    entity    INTEGER NOT NULL,
    PRIMARY KEY (workspace, key, entity)
) WITHOUT ROWID;
CREATE INDEX entity_keys_entity ON entity_keys (entity);

CREATE VIRTUAL TABLE entity_words USING fts5(
    words, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
INSERT INTO entity_words (entity_words, rank) VALUES ('secure-delete', 1);

CREATE TABLE links (
    workspace INTEGER NOT NULL,
    entity    INTEGER NOT NULL,
    chunk     INTEGER NOT NULL,
    kind      INTEGER NOT NULL,
    spans     BLOB NOT NULL, -- see encodeSpans
    PRIMARY KEY (workspace, entity, chunk)
) WITHOUT ROWID;
-- With the kind, so that what is next to a chunk is found here alone.
CREATE INDEX links_chunk ON links (chunk, entity, kind);

CREATE TABLE relations (
    workspace  INTEGER NOT NULL,
    id         TEXT NOT NULL,
    source     TEXT NOT NULL,
    type       TEXT NOT NULL,
    target     TEXT NOT NULL,
    strength   INTEGER NOT NULL, -- how many pieces of evidence
    evidence   TEXT NOT NULL,    -- JSON
    properties TEXT NOT NULL,    -- JSON
    periods    TEXT NOT NULL,    -- see domain.Relation.Dating
    PRIMARY KEY (workspace, id)
) WITHOUT ROWID;
CREATE INDEX relations_source ON relations (workspace, source);
CREATE INDEX relations_target ON relations (workspace, target);
