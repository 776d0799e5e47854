-- +goose Up

-- Pictures in documents. Their bytes are kept where the uploaded files are, by their hash.
CREATE TABLE pictures (
    workspace_id TEXT    NOT NULL,
    document_id  TEXT    NOT NULL,
    number       INTEGER NOT NULL, -- from 1, in the order of the text
    name         TEXT    NOT NULL, -- of the document's file
    hash         TEXT    NOT NULL,
    media        TEXT    NOT NULL, -- image/png or image/jpeg
    width        INTEGER NOT NULL, -- in pixels
    height       INTEGER NOT NULL,
    page         INTEGER NOT NULL, -- 0: there are none
    box          TEXT    NOT NULL, -- JSON: left, top, right and bottom, as parts of the page
    span_start   BIGINT  NOT NULL, -- of its words in the text; where it stands, if it has none
    span_end     BIGINT  NOT NULL,
    caption      TEXT    NOT NULL,
    alt          TEXT    NOT NULL, -- what the file says in its place
    description  TEXT    NOT NULL, -- by a model
    model        TEXT    NOT NULL,
    PRIMARY KEY (workspace_id, document_id, number),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX pictures_of_file ON pictures (workspace_id, hash);

-- How many pictures a document has.
ALTER TABLE documents ADD COLUMN pictures INTEGER NOT NULL DEFAULT 0;
