-- +goose Up

-- In which chunks a title may stand, and which titles may stand in a text: two
-- words that follow one another, as hashes in one number. What these tables
-- hold follows from texts and titles, and is written when it is first needed.
-- The number of a chunk is NULL until its words are here.
ALTER TABLE chunks ADD COLUMN number BIGINT;
CREATE UNIQUE INDEX chunks_numbered ON chunks (workspace_id, number);

CREATE TABLE chunk_words (
    workspace_id TEXT NOT NULL,
    words        BIGINT NOT NULL,
    chunk        BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, words, chunk),
    FOREIGN KEY (workspace_id, chunk) REFERENCES chunks (workspace_id, number) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX words_of_chunk ON chunk_words (workspace_id, chunk);

-- 1 once the forms of the document's title are in title_forms.
ALTER TABLE documents ADD COLUMN titled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_untitled ON documents (workspace_id, id) WHERE titled = 0;

CREATE TABLE title_forms (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    entity_key   TEXT NOT NULL,
    words        BIGINT NOT NULL, -- some of its words, 0 for a title that no text is searched for
    PRIMARY KEY (workspace_id, document_id, entity_key),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX titles_by_key ON title_forms (workspace_id, entity_key);
CREATE INDEX titles_by_words ON title_forms (workspace_id, words);
