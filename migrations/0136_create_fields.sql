-- +goose Up

-- Fields that the documents of a workspace have. Values of a deleted one stay, so that deleting it can be undone.
CREATE TABLE fields (
    workspace_id TEXT    NOT NULL REFERENCES workspaces (id),
    id           TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    kind         TEXT    NOT NULL, -- text, number, date, yesno, choice or list
    choices      TEXT    NOT NULL, -- JSON
    property     TEXT    NOT NULL, -- of files, which has its value; '' for one that is called like it
    from_text    INTEGER NOT NULL, -- its value is looked for in a line of the text that begins with its name
    in_list      INTEGER NOT NULL, -- it is a column of the list of documents
    gone         INTEGER NOT NULL, -- it was deleted
    PRIMARY KEY (workspace_id, id)
);

-- What each source says the fields of documents are; of several the one with the highest origin counts:
-- 1 the file, 2 its text, 3 a list, 4 a person. A list of text has a row for each item. An empty value says that there is none.
CREATE TABLE field_values (
    workspace_id TEXT    NOT NULL,
    document_id  TEXT    NOT NULL,
    field_id     TEXT    NOT NULL,
    origin       INTEGER NOT NULL,
    position     INTEGER NOT NULL,
    value        TEXT    NOT NULL,
    sort_key     TEXT    NOT NULL, -- by which values are compared
    span_start   INTEGER NOT NULL, -- code points of the text that state it; none where both are 0
    span_end     INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, document_id, field_id, origin, position),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX field_values_by_key ON field_values (workspace_id, field_id, sort_key);

-- Properties that files state of themselves, from which fields take their values.
CREATE TABLE document_properties (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    name         TEXT NOT NULL, -- in lower case
    value        TEXT NOT NULL, -- JSON list of text
    PRIMARY KEY (workspace_id, document_id, name),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX document_properties_by_name ON document_properties (workspace_id, name);

-- What an entry of the curation log that sets fields of documents replaced, and by what, as JSON lists: null says nothing.
CREATE TABLE refielded (
    workspace_id TEXT    NOT NULL,
    seq          BIGINT  NOT NULL, -- of the entry
    document_id  TEXT    NOT NULL,
    field_id     TEXT    NOT NULL,
    origin       INTEGER NOT NULL,
    was          TEXT    NOT NULL,
    becomes      TEXT    NOT NULL,
    PRIMARY KEY (workspace_id, seq, document_id, field_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX refielded_document ON refielded (workspace_id, document_id);
