-- Points have numbers within the file. Numbers are never reused and only grow, so
-- that copies in memory know what is new and what was deleted.

-- Title and text of a point are in the full-text table of its workspace and
-- collection, words_<workspace>_<collection>, under its number.
CREATE TABLE points (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    document   TEXT NOT NULL,
    UNIQUE (workspace, collection, id)
);
CREATE INDEX points_document ON points (workspace, document);

CREATE TABLE vectors (
    num        INTEGER PRIMARY KEY, -- of the point
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    cursor     INTEGER NOT NULL,    -- of the batch that wrote it
    vector     BLOB NOT NULL        -- float32, little-endian
);
CREATE INDEX vectors_cursor ON vectors (workspace, collection, cursor);

-- Deleted points, with the cursor of the batch that deleted them.
CREATE TABLE removed (
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    cursor     INTEGER NOT NULL,
    num        INTEGER NOT NULL,
    PRIMARY KEY (workspace, collection, cursor, num)
) WITHOUT ROWID;

-- The embedding model of an index: place is the slot, see store.go.
CREATE TABLE models (
    place TEXT PRIMARY KEY,
    model TEXT NOT NULL
) WITHOUT ROWID;
