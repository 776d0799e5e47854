CREATE TABLE workspaces (
    num    INTEGER PRIMARY KEY AUTOINCREMENT,
    id     TEXT NOT NULL UNIQUE,
    cursor INTEGER NOT NULL
);

CREATE TABLE points (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    document   TEXT NOT NULL,
    UNIQUE (workspace, collection, id)
);
CREATE INDEX points_document ON points (workspace, document) WHERE document <> '';

CREATE TABLE vectors (
    num        INTEGER PRIMARY KEY,
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    cursor     INTEGER NOT NULL,
    vector     BLOB NOT NULL
);
CREATE INDEX vectors_cursor ON vectors (workspace, collection, cursor);

CREATE TABLE removed (
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    cursor     INTEGER NOT NULL,
    num        INTEGER NOT NULL,
    PRIMARY KEY (workspace, collection, cursor, num)
) WITHOUT ROWID;

CREATE TABLE fills (
    workspace INTEGER PRIMARY KEY,
    after     INTEGER NOT NULL,
    cursor    INTEGER NOT NULL
);

CREATE TABLE models (
    place TEXT PRIMARY KEY,
    model TEXT NOT NULL
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words_1_chunks USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE words_1_sentences USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE words_1_entities USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE words_1_relations USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO workspaces (num, id, cursor) VALUES (1, 'main', 7);
INSERT INTO points (num, workspace, collection, id, document) VALUES (1, 1, 'chunks', 'c1', 'd1'), (2, 1, 'entities', 'e1', '');
INSERT INTO words_1_chunks (rowid, title, text) VALUES (1, '', 'the xylophone');
INSERT INTO words_1_entities (rowid, title, text) VALUES (2, '', 'Xylophone');
INSERT INTO vectors (num, workspace, collection, cursor, vector) VALUES (1, 1, 'chunks', 7, x'0000803f00000000');
