-- Points go by numbers within the file. Numbers are never given twice: copies
-- of the vectors in memory tell by them what is gone.

-- Title and text of a point stand in the full-text table of its workspace and
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

-- Vectors that are gone, and since when.
CREATE TABLE removed (
    workspace  INTEGER NOT NULL,
    collection TEXT NOT NULL,
    cursor     INTEGER NOT NULL,
    num        INTEGER NOT NULL,
    PRIMARY KEY (workspace, collection, cursor, num)
) WITHOUT ROWID;

-- Whose vectors an index holds: the live one's place is empty, see store.go.
CREATE TABLE models (
    place TEXT PRIMARY KEY,
    model TEXT NOT NULL
) WITHOUT ROWID;
