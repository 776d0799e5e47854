CREATE TABLE account_groups (
    account TEXT NOT NULL,
    name    TEXT NOT NULL, since BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account, name)
)
CREATE INDEX account_groups_by_name ON account_groups (name)
CREATE TABLE answers (
    workspace_id    TEXT NOT NULL,
    run_id          TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,    -- '' in an evaluation
    message_id      TEXT NOT NULL,    -- '' in an evaluation
    follows         TEXT NOT NULL,    -- the run whose answer the message follows; '': that to the message before it
    method          TEXT NOT NULL,
    evaluation_id   TEXT NOT NULL,    -- '' in a conversation
    n               INTEGER NOT NULL, -- of the evaluation's question
    branch_id       TEXT NOT NULL,    -- '': the message as it was asked, or an evaluation
    parent_run      TEXT NOT NULL,    -- '': the run begins at the start of the graph
    step            INTEGER NOT NULL, -- of the parent, as pages number them
    super           INTEGER NOT NULL, -- that step, as the parent's graph counts super-steps
    purpose         TEXT NOT NULL,
    changes         TEXT NOT NULL,    -- as JSON
    question        TEXT NOT NULL,
    scope           TEXT NOT NULL,    -- as JSON
    person          TEXT NOT NULL,
    status          TEXT NOT NULL,
    problem         TEXT NOT NULL,
    answer          TEXT NOT NULL,
    words           TEXT NOT NULL,    -- question and answer in lower case, to be searched
    sentences       TEXT NOT NULL,    -- as JSON
    figures         TEXT NOT NULL,    -- as JSON, without the citations of charts
    created_at      BIGINT NOT NULL
)
CREATE UNIQUE INDEX answers_as_asked ON answers (workspace_id, message_id) WHERE branch_id = '' AND message_id <> ''
CREATE INDEX answers_in_order ON answers (workspace_id, conversation_id, created_at, message_id)
CREATE UNIQUE INDEX answers_of_branch ON answers (workspace_id, branch_id) WHERE branch_id <> ''
CREATE INDEX answers_of_evaluation ON answers (workspace_id, evaluation_id) WHERE evaluation_id <> ''
CREATE INDEX answers_of_message ON answers (workspace_id, message_id, created_at)
CREATE INDEX answers_of_parent ON answers (workspace_id, parent_run)
CREATE TABLE audit (
    seq       BIGINT PRIMARY KEY, -- from 1, without gaps
    at        BIGINT NOT NULL,
    workspace TEXT NOT NULL, -- '': the installation. Its rows outlive the workspace.
    person    TEXT NOT NULL, -- '': nobody signs in
    token     TEXT NOT NULL, -- first letters of the token of a program
    address   TEXT NOT NULL, -- '': this machine
    action    TEXT NOT NULL,
    thing     TEXT NOT NULL, -- ids and names, never words of documents
    how       TEXT NOT NULL,
    result    TEXT NOT NULL,
    hash      TEXT NOT NULL
)
CREATE INDEX audit_by_age ON audit (at)
CREATE INDEX audit_of_workspace ON audit (workspace, seq)
CREATE TABLE audit_ends (
    id        BIGINT PRIMARY KEY, -- 1
    cut       BIGINT NOT NULL,
    cut_hash  TEXT NOT NULL,
    head      BIGINT NOT NULL,
    head_hash TEXT NOT NULL
)
CREATE TABLE changes (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    document_id  TEXT NOT NULL,
    deleted      INTEGER NOT NULL,
    at           BIGINT NOT NULL, vectors INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, seq)
)
CREATE INDEX changes_of_document ON changes (workspace_id, document_id)
CREATE TABLE checkpoints (
    seq     INTEGER PRIMARY KEY,
    thread  INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    scope   TEXT NOT NULL, -- of a subgraph
    kind    TEXT NOT NULL,
    step    INTEGER NOT NULL,
    task    INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at      BIGINT NOT NULL, -- microseconds
    name    TEXT NOT NULL, -- of a question and its answer
    data    BLOB NOT NULL
)
CREATE INDEX checkpoints_of_thread ON checkpoints (thread, scope)
CREATE INDEX checkpoints_questions ON checkpoints (thread) WHERE kind IN ('interrupt', 'answer')
CREATE INDEX checkpoints_snapshots ON checkpoints (thread, scope, step, seq) WHERE kind = 'snapshot'
CREATE TABLE chunk_words (
    workspace_id TEXT NOT NULL,
    words        BIGINT NOT NULL,
    chunk        BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, words, chunk),
    FOREIGN KEY (workspace_id, chunk) REFERENCES chunks (workspace_id, number) ON DELETE CASCADE
) WITHOUT ROWID
CREATE INDEX words_of_chunk ON chunk_words (workspace_id, chunk)
CREATE TABLE chunks (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    ordinal      INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    page         INTEGER NOT NULL,
    headings     TEXT NOT NULL,
    text         TEXT NOT NULL,
    tokens       INTEGER NOT NULL, number BIGINT, places TEXT NOT NULL DEFAULT 'null',
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX chunks_in_order ON chunks (workspace_id, document_id, ordinal)
CREATE UNIQUE INDEX chunks_numbered ON chunks (workspace_id, number)
CREATE TABLE "citations" (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    figure       INTEGER NOT NULL, -- 0: the text's, and from 1 those of the answer's charts
    n            INTEGER NOT NULL,
    document     TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    page         INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    place        TEXT NOT NULL,
    text         TEXT NOT NULL,
    marks        TEXT NOT NULL DEFAULT 'null',
    is_close     INTEGER NOT NULL DEFAULT 0,
    tie          TEXT NOT NULL DEFAULT '', web_address TEXT NOT NULL DEFAULT '', fetched_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, figure, n)
)
CREATE INDEX citations_of_document ON citations (workspace_id, document_id)
CREATE TABLE connections (
    role    TEXT PRIMARY KEY, -- answer, extract, grade, rewrite, summary or embed
    server  TEXT NOT NULL,    -- what kind of server it is: ollama, openai, …
    address TEXT NOT NULL,
    model   TEXT NOT NULL,
    sealed  TEXT NOT NULL,    -- '' without a key
    who     TEXT NOT NULL,
    at      BIGINT NOT NULL
, per_minute INTEGER NOT NULL DEFAULT 0, tokens_per_minute INTEGER NOT NULL DEFAULT 0)
CREATE TABLE contributions (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    reader       TEXT NOT NULL,
    graph        TEXT NOT NULL, mined TEXT NOT NULL DEFAULT '', mined_schema BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, chunk_id),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunks (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX contributions_of_document ON contributions (workspace_id, document_id)
CREATE TABLE conversation_folders (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    maker        TEXT NOT NULL,
    name         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
)
CREATE UNIQUE INDEX conversation_folders_by_name ON conversation_folders (workspace_id, maker, name)
CREATE TABLE conversations (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    title        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, words TEXT NOT NULL DEFAULT '', delete_at BIGINT NOT NULL DEFAULT 0, maker TEXT NOT NULL DEFAULT '', shared_at BIGINT NOT NULL DEFAULT 0, opened INTEGER NOT NULL DEFAULT 0, folder_id TEXT NOT NULL DEFAULT '', answer_of TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX conversations_newest ON conversations (workspace_id, pinned, updated_at, id)
CREATE UNIQUE INDEX conversations_of_answer ON conversations (workspace_id, answer_of) WHERE answer_of <> ''
CREATE INDEX conversations_of_maker ON conversations (workspace_id, maker, updated_at)
CREATE INDEX conversations_shared ON conversations (workspace_id, shared_at) WHERE shared_at > 0
CREATE INDEX conversations_to_delete ON conversations (workspace_id, delete_at) WHERE delete_at > 0
CREATE TABLE curated_entities (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    entity_id    TEXT NOT NULL,
    entity_key   TEXT NOT NULL, key_hash TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, entity_id)
)
CREATE TABLE curations (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    kind         TEXT NOT NULL,
    undoes       BIGINT NOT NULL, -- the entry that this one takes back, 0 for none
    operation    TEXT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
)
CREATE INDEX curations_undone ON curations (workspace_id, undoes)
CREATE TABLE divisions (
    workspace_id TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    place        TEXT   NOT NULL, -- the workspace of the graph store: this one, or that of a sight
    at_change    BIGINT NOT NULL, -- of the graph
    program      TEXT   NOT NULL, -- the version that divided it
    made_at      BIGINT NOT NULL,
    took         BIGINT NOT NULL, -- nanoseconds
    content      BLOB   NOT NULL, -- JSON, compressed by gzip
    PRIMARY KEY (workspace_id, place)
)
CREATE TABLE document_properties (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    name         TEXT NOT NULL, -- in lower case
    value        TEXT NOT NULL, -- JSON list of text
    PRIMARY KEY (workspace_id, document_id, name),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX document_properties_by_name ON document_properties (workspace_id, name)
CREATE TABLE document_readers (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    kind         TEXT NOT NULL, -- account or group
    name         TEXT NOT NULL, since BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, document_id, kind, name),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX document_readers_by_name ON document_readers (workspace_id, kind, name)
CREATE TABLE document_tags (
    workspace_id TEXT NOT NULL,
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    PRIMARY KEY (workspace_id, tag, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX tags_of_document ON document_tags (workspace_id, document_id)
CREATE TABLE document_versions (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    number       INTEGER NOT NULL, -- from 0
    name         TEXT NOT NULL,
    title        TEXT NOT NULL,
    format       TEXT NOT NULL,
    size         BIGINT NOT NULL,
    hash         TEXT NOT NULL,
    chars        INTEGER NOT NULL,
    chunks       INTEGER NOT NULL,
    run_id       TEXT NOT NULL,
    since        BIGINT NOT NULL,
    until        BIGINT NOT NULL,
    content      TEXT NOT NULL,
    pages        TEXT NOT NULL,
    headings     TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id, number),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX document_versions_by_hash ON document_versions (workspace_id, hash)
CREATE TABLE documents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    title        TEXT NOT NULL,
    words        TEXT NOT NULL, -- name and title in lower case, for the filter of the list
    format       TEXT NOT NULL,
    size         INTEGER NOT NULL,
    hash         TEXT NOT NULL,
    status       TEXT NOT NULL,
    stage        TEXT NOT NULL,
    pages        INTEGER NOT NULL,
    chars        INTEGER NOT NULL,
    chunks       INTEGER NOT NULL,
    chunks_done  INTEGER NOT NULL,
    entities     INTEGER NOT NULL,
    relations    INTEGER NOT NULL,
    reader       TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    problem      TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    took         BIGINT NOT NULL, -- nanoseconds
    published    INTEGER NOT NULL, titled INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0, schema_number BIGINT NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0, schema_name TEXT NOT NULL DEFAULT '', delete_at BIGINT NOT NULL DEFAULT 0, deletion TEXT NOT NULL DEFAULT '', keep_quoted INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0, version_at BIGINT NOT NULL DEFAULT 0, version_of TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '', place INTEGER NOT NULL DEFAULT 0, link TEXT NOT NULL DEFAULT '', published_on TEXT NOT NULL DEFAULT '', author TEXT NOT NULL DEFAULT '', author_words TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '', link_tag TEXT NOT NULL DEFAULT '', chunking TEXT NOT NULL DEFAULT '{}', gone_at BIGINT NOT NULL DEFAULT 0, added_by TEXT NOT NULL DEFAULT '', limited INTEGER NOT NULL DEFAULT 0, opened_at BIGINT NOT NULL DEFAULT 0, pictures INTEGER NOT NULL DEFAULT 0, -- 1 once the projections may see it
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX documents_by_entities ON documents (workspace_id, entities, id)
CREATE INDEX documents_by_link ON documents (workspace_id, link) WHERE link <> ''
CREATE INDEX documents_by_name ON documents (workspace_id, SUBSTR(words, 1, 200), id)
CREATE INDEX documents_by_passages ON documents (workspace_id, chunks, id)
CREATE INDEX documents_by_size ON documents (workspace_id, size, id)
CREATE INDEX documents_by_state ON documents (workspace_id, status, id)
CREATE INDEX documents_counted ON documents (workspace_id, status, format, reader, chunks, created_at, delete_at)
CREATE INDEX documents_gone ON documents (workspace_id, gone_at) WHERE gone_at > 0
CREATE INDEX documents_limited ON documents (workspace_id) WHERE limited = 1
CREATE INDEX documents_named ON documents (workspace_id, name)
CREATE INDEX documents_newest ON documents (workspace_id, created_at, id)
CREATE INDEX documents_of_file ON documents (workspace_id, hash)
CREATE INDEX documents_opened ON documents (workspace_id, opened_at) WHERE opened_at > 0
CREATE INDEX documents_to_come ON documents (workspace_id, version_of) WHERE version_of <> ''
CREATE INDEX documents_to_delete ON documents (workspace_id, delete_at) WHERE delete_at > 0
CREATE INDEX documents_untitled ON documents (workspace_id, titled, id) WHERE titled = 0
CREATE TABLE dropped (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    item         TEXT NOT NULL, -- JSON: kind, names, spans, code and reason
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
)
CREATE INDEX dropped_of_document ON dropped (workspace_id, document_id)
CREATE TABLE embedding_models (
    model     TEXT PRIMARY KEY,
    dimension INTEGER NOT NULL
)
CREATE TABLE "embeddings" (
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    vector    BLOB NOT NULL, -- float32, little endian
    PRIMARY KEY (model, dimension, text_hash)
)
CREATE TABLE evaluation_questions (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    message_id   TEXT NOT NULL,    -- of the conversation that it was kept from, '' for none
    question     TEXT NOT NULL,
    answers      TEXT NOT NULL,    -- as JSON: words, any of which make an answer right
    sources      TEXT NOT NULL,    -- as JSON: names of documents
    created_at   BIGINT NOT NULL,
    deleted_at   BIGINT NOT NULL, set_id TEXT NOT NULL DEFAULT 'first',  -- 0: it is kept
    PRIMARY KEY (workspace_id, id)
)
CREATE TABLE evaluation_replies (
    workspace_id  TEXT NOT NULL,
    evaluation_id TEXT NOT NULL,
    n             INTEGER NOT NULL, -- from 1, in the order of asking
    question_id   TEXT NOT NULL,
    question      TEXT NOT NULL,
    answers       TEXT NOT NULL,
    sources       TEXT NOT NULL,
    run_id        TEXT NOT NULL,    -- '' before it is asked
    figures       TEXT NOT NULL, by_hand TEXT NOT NULL DEFAULT '',    -- as JSON: verdict, ranks, time, tokens, cost
    PRIMARY KEY (workspace_id, evaluation_id, n),
    FOREIGN KEY (workspace_id, evaluation_id) REFERENCES evaluations (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX evaluation_replies_of_run ON evaluation_replies (run_id)
CREATE TABLE evaluation_sets (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    deleted_at   BIGINT NOT NULL,  -- 0: it is there
    PRIMARY KEY (workspace_id, id)
)
CREATE TABLE evaluations (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    setting      TEXT NOT NULL,    -- as JSON
    facts        TEXT NOT NULL,    -- as JSON: about the library and the models at the time
    score        TEXT NOT NULL,    -- as JSON
    person       TEXT NOT NULL,
    status       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL, set_id TEXT NOT NULL DEFAULT 'first',
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX evaluations_newest ON evaluations (workspace_id, created_at, id)
CREATE TABLE events (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    at           BIGINT NOT NULL,
    json         TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
)
CREATE TABLE "feedback" (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    person       TEXT NOT NULL,
    good         INTEGER NOT NULL,
    reason       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (run_id, person)
)
CREATE INDEX feedback_newest ON feedback (workspace_id, created_at, run_id)
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
)
CREATE INDEX field_values_by_key ON field_values (workspace_id, field_id, sort_key)
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
)
CREATE TABLE finished_sign_ons (
    state      TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
)
CREATE INDEX finished_sign_ons_by_expiry ON finished_sign_ons (expires_at)
CREATE TABLE former_members (
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL,
    role         TEXT NOT NULL,
    added_at     BIGINT NOT NULL,
    left_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, account)
)
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    account    TEXT NOT NULL,
    called     TEXT NOT NULL, -- what the provider calls the person
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
)
CREATE INDEX identities_by_account ON identities (account)
CREATE TABLE invitations (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    role         TEXT NOT NULL,
    note         TEXT NOT NULL, -- for whom it is
    secret_hash  TEXT NOT NULL,
    made_by      TEXT NOT NULL, -- '': with a command, or where nobody signs in
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL,
    used_by      TEXT NOT NULL
)
CREATE UNIQUE INDEX invitations_by_hash ON invitations (secret_hash)
CREATE INDEX invitations_of_workspace ON invitations (workspace_id, created_at)
CREATE TABLE members (
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL,
    role         TEXT NOT NULL,
    added_at     BIGINT NOT NULL, by_sign_on BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, account)
)
CREATE INDEX members_by_account ON members (account)
CREATE TABLE mentions (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL, -- in the graph document
    entity_key   TEXT NOT NULL,
    label        TEXT NOT NULL,
    name         TEXT NOT NULL,
    aliases      TEXT NOT NULL,
    properties   TEXT NOT NULL,
    spans        TEXT NOT NULL, by_rule INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
)
CREATE INDEX mentions_by_key ON mentions (workspace_id, entity_key)
CREATE TABLE model_calls (
    key          TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    response     TEXT NOT NULL,
    at           BIGINT NOT NULL
)
CREATE INDEX model_calls_of_document ON model_calls (workspace_id, document_id)
CREATE INDEX model_calls_of_run ON model_calls (workspace_id, run_id)
CREATE TABLE model_usage (
    workspace_id TEXT NOT NULL,
    day          TEXT NOT NULL, -- in UTC: 2026-11-23
    model        TEXT NOT NULL,
    role         TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    person       TEXT NOT NULL,
    calls        BIGINT NOT NULL,
    input        BIGINT NOT NULL, -- tokens, cached ones included
    cached       BIGINT NOT NULL,
    output       BIGINT NOT NULL,
    embedded     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, day, model, role, document_id, run_id, person)
)
CREATE INDEX model_usage_by_document ON model_usage (workspace_id, day, document_id, model, calls, input, cached, output, embedded)
CREATE INDEX model_usage_by_role ON model_usage (workspace_id, day, model, role, person, calls, input, cached, output, embedded)
CREATE INDEX model_usage_of_document ON model_usage (workspace_id, document_id) WHERE document_id <> ''
CREATE INDEX model_usage_of_run ON model_usage (workspace_id, run_id) WHERE run_id <> ''
CREATE TABLE passes (
    secret_hash   TEXT PRIMARY KEY,
    purpose       TEXT NOT NULL,
    account       TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
)
CREATE INDEX passes_of_account ON passes (account, purpose)
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
)
CREATE INDEX pictures_of_file ON pictures (workspace_id, hash)
CREATE TABLE prompt_versions (
    workspace_id TEXT NOT NULL,
    number       BIGINT NOT NULL, -- from 1, over all prompts of the workspace
    role         TEXT NOT NULL,
    text         TEXT NOT NULL, -- '' for the built-in text
    note         TEXT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, number)
)
CREATE TABLE proposals (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    a            TEXT NOT NULL, -- a merge keeps this one's name
    b            TEXT NOT NULL,
    score        BIGINT NOT NULL, -- in thousandths
    pattern      TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    status       TEXT NOT NULL,
    at           BIGINT NOT NULL, -- of the proposal or the last decision
    who          TEXT NOT NULL,   -- who decided
    curation     BIGINT NOT NULL, -- the entry of the curation log that decided, 0 for none
    decided      TEXT NOT NULL,   -- the status while that entry is in force, '' for none
    later        BIGINT NOT NULL, -- when it was put off, 0 if it was not
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX proposals_decided ON proposals (workspace_id, curation)
CREATE INDEX proposals_in_turn ON proposals (workspace_id, status, later, score)
CREATE INDEX proposals_of_a ON proposals (workspace_id, a)
CREATE INDEX proposals_of_b ON proposals (workspace_id, b)
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
)
CREATE INDEX refielded_document ON refielded (workspace_id, document_id)
CREATE TABLE repeats (
    workspace_id TEXT NOT NULL,
    token_id     TEXT NOT NULL,
    repeat_key   TEXT NOT NULL, -- as the program names the request
    request      TEXT NOT NULL, -- hash of it
    status       BIGINT NOT NULL, -- 0: it is being answered
    media_type   TEXT NOT NULL,
    location     TEXT NOT NULL,
    body         TEXT NOT NULL,
    at           BIGINT NOT NULL, session TEXT NOT NULL DEFAULT '', signed_at BIGINT NOT NULL DEFAULT 0, host TEXT NOT NULL DEFAULT '', boot TEXT NOT NULL DEFAULT '', pid INTEGER NOT NULL DEFAULT 0, started TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, token_id, repeat_key)
)
CREATE INDEX repeats_by_age ON repeats (at)
CREATE TABLE rereadings (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    at           BIGINT NOT NULL,
    was          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX rereadings_document ON rereadings (workspace_id, document_id)
CREATE TABLE researches (
    workspace_id TEXT    NOT NULL REFERENCES workspaces (id),
    id           TEXT    NOT NULL,
    run_id       TEXT    NOT NULL,
    rounds       INTEGER NOT NULL, -- at most
    questions    INTEGER NOT NULL, -- in all, at most
    budget       BIGINT  NOT NULL, -- tokens; 0: no limit
    review       INTEGER NOT NULL, -- a person edits the plan
    plan         TEXT    NOT NULL, -- JSON: the questions; null until they are planned
    edits        TEXT    NOT NULL, -- JSON: the plan as a person edited it, until the run uses it
    notes        TEXT    NOT NULL, -- JSON: what the report lacks
    created_at   BIGINT  NOT NULL,
    maker        TEXT    NOT NULL, -- as of a conversation
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX researches_in_order ON researches (workspace_id, created_at)
CREATE UNIQUE INDEX researches_of_run ON researches (run_id)
CREATE TABLE retagged (
    workspace_id TEXT NOT NULL,
    seq          BIGINT NOT NULL, -- of the entry
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    given        INTEGER NOT NULL, -- 0: taken off
    PRIMARY KEY (workspace_id, seq, tag, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX retagged_document ON retagged (workspace_id, document_id)
CREATE TABLE run_documents (
    workspace_id TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    document_id  TEXT NOT NULL,
    PRIMARY KEY (run_id, document_id)
)
CREATE INDEX run_documents_by_document ON run_documents (document_id, workspace_id)
CREATE TABLE runs (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL,
    input        TEXT NOT NULL,
    status       TEXT NOT NULL,
    priority     INTEGER NOT NULL, -- higher goes first
    attempt      INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    owner        TEXT NOT NULL,
    lease        BIGINT NOT NULL, -- length in milliseconds
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    stop_asked   INTEGER NOT NULL,
    problem      TEXT NOT NULL,
    settled      INTEGER NOT NULL, -- 1 once its end has been noted on its subject
    created_at   BIGINT NOT NULL,
    started_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL
, person TEXT NOT NULL DEFAULT '', lap INTEGER NOT NULL DEFAULT 0, title TEXT NOT NULL DEFAULT '', tokens BIGINT NOT NULL DEFAULT 0, capped INTEGER NOT NULL DEFAULT 0, resumed INTEGER NOT NULL DEFAULT 0, failed_at TEXT NOT NULL DEFAULT '', spent BIGINT NOT NULL DEFAULT 0, form_key TEXT NOT NULL DEFAULT '', problem_kind TEXT NOT NULL DEFAULT '', own INTEGER NOT NULL DEFAULT 0, access TEXT NOT NULL DEFAULT '')
CREATE INDEX runs_asked_by ON runs (workspace_id, person, created_at, id, title, kind, status, tokens, spent, started_at, finished_at)
CREATE INDEX runs_capped ON runs (workspace_id, created_at, id) WHERE capped = 1
CREATE INDEX runs_failed ON runs (workspace_id, failed_at, created_at, id) WHERE failed_at <> ''
CREATE INDEX runs_in_turn ON runs (status, kind, workspace_id, priority DESC, lap, created_at, id) WHERE status IN ('waiting', 'capped', 'running')
CREATE INDEX runs_newest ON runs (workspace_id, created_at, id, title, kind, status, person, tokens, spent, started_at, finished_at)
CREATE INDEX runs_not_done ON runs (workspace_id, status, created_at, id) WHERE status <> 'done'
CREATE UNIQUE INDEX runs_of_form ON runs (workspace_id, form_key) WHERE form_key <> ''
CREATE INDEX runs_of_kind ON runs (workspace_id, kind, created_at, id, title, status, person, tokens, spent, started_at, finished_at)
CREATE INDEX runs_of_laps ON runs (kind, workspace_id, lap) WHERE status = 'waiting'
CREATE INDEX runs_of_owner ON runs (owner, status)
CREATE INDEX runs_of_persons ON runs (kind, workspace_id, person, lap) WHERE status = 'waiting'
CREATE INDEX runs_of_subject ON runs (workspace_id, subject)
CREATE INDEX runs_resumed ON runs (workspace_id, created_at, id) WHERE resumed = 1
CREATE INDEX runs_to_claim ON runs (status, settled, priority, created_at, id)
CREATE TABLE schemas (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    number       BIGINT NOT NULL,
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    at           BIGINT NOT NULL,
    who          TEXT NOT NULL, -- '' where there are no accounts
    note         TEXT NOT NULL,
    body         TEXT NOT NULL, name TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, number)
)
CREATE INDEX schemas_by_scope ON schemas (workspace_id, document_id, tag, number)
CREATE TABLE second_steps (
    account      TEXT PRIMARY KEY,
    sealed       TEXT NOT NULL,   -- the secret that the app has too, encrypted
    confirmed_at BIGINT NOT NULL, -- 0: it is not asked for yet
    used         BIGINT NOT NULL, -- number of the latest code that was used: no code is used twice
    recovery     TEXT NOT NULL    -- hashes of the codes for when the app is lost, as JSON
)
CREATE TABLE sessions (
    token_hash    TEXT PRIMARY KEY,
    user_name     TEXT NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    password_hash TEXT NOT NULL,
    address       TEXT NOT NULL,
    browser       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    used_at       BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
, issuer TEXT NOT NULL DEFAULT '')
CREATE INDEX sessions_by_expiry ON sessions (expires_at)
CREATE INDEX sessions_by_user ON sessions (user_name)
CREATE TABLE settings (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    value        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, name)
)
CREATE TABLE sights (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL, -- of the workspace in the stores
    readers      TEXT NOT NULL, -- JSON
    used_at      BIGINT NOT NULL, rights_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, id)
)
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
    problem      TEXT   NOT NULL, file TEXT NOT NULL DEFAULT '', moved_from TEXT NOT NULL DEFAULT '', -- why it was not read
    PRIMARY KEY (workspace_id, source_id, name),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX source_items_by_change ON source_items (workspace_id, source_id, change, change_at)
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
)
CREATE INDEX source_looks_by_time ON source_looks (workspace_id, source_id, began_at)
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
    failing_at   BIGINT  NOT NULL, problem_kind TEXT NOT NULL DEFAULT '', -- since when; 0: the last one did not
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX sources_due ON sources (next_at) WHERE next_at > 0
CREATE TABLE statements (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL,
    source_key   TEXT NOT NULL,
    source_label TEXT NOT NULL,
    type         TEXT NOT NULL,
    target_key   TEXT NOT NULL,
    target_label TEXT NOT NULL,
    properties   TEXT NOT NULL,
    spans        TEXT NOT NULL, periods TEXT NOT NULL DEFAULT 'null',
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
)
CREATE INDEX statements_by_ends ON statements (workspace_id, source_key, target_key)
CREATE INDEX statements_by_target ON statements (workspace_id, target_key)
CREATE TABLE store_leases (
    workspace_id TEXT PRIMARY KEY,
    token        BIGINT NOT NULL,
    holder       TEXT NOT NULL,
    host         TEXT NOT NULL,
    boot         TEXT NOT NULL,
    pid          INTEGER NOT NULL,
    started      TEXT NOT NULL,
    lease_until  BIGINT NOT NULL
, session TEXT NOT NULL DEFAULT '')
CREATE TABLE summaries (
    workspace_id  TEXT NOT NULL,
    id            TEXT NOT NULL,
    whole         INTEGER NOT NULL, -- 1: of the whole library as it was
    focus         TEXT NOT NULL,
    length        TEXT NOT NULL,
    review        INTEGER NOT NULL,
    max_collapses INTEGER NOT NULL,
    run_id        TEXT NOT NULL,
    status        TEXT NOT NULL,
    problem       TEXT NOT NULL,
    condensed     INTEGER NOT NULL,
    warnings      TEXT NOT NULL,
    edits         TEXT NOT NULL, -- 'null' unless a person's answer waits to be taken up
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL, tag TEXT NOT NULL DEFAULT '', maker TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT '', most INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX summaries_newest ON summaries (workspace_id, created_at, id)
CREATE TABLE summary_citations (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    n            INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    page         INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    text         TEXT NOT NULL, place TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, summary_id, n),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX summary_citations_of_document ON summary_citations (workspace_id, document_id)
CREATE TABLE summary_documents (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    text_hash    TEXT NOT NULL, -- of the text that was summarised; '' before
    PRIMARY KEY (workspace_id, summary_id, position),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX summaries_of_document ON summary_documents (workspace_id, document_id)
CREATE TABLE summary_lines (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    paragraph    INTEGER NOT NULL,
    text         TEXT NOT NULL, front TEXT NOT NULL DEFAULT '', removed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, summary_id, position),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
)
CREATE TABLE summary_links (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    n            INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, summary_id, position, n),
    FOREIGN KEY (workspace_id, summary_id, position) REFERENCES summary_lines (workspace_id, summary_id, position) ON DELETE CASCADE
)
CREATE TABLE texts (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    title        TEXT NOT NULL,
    content      TEXT NOT NULL,
    pages        TEXT NOT NULL,
    headings     TEXT NOT NULL,
    warnings     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE TABLE threads (
    number      INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    token       BIGINT NOT NULL,
    touched_at  BIGINT NOT NULL
, ended_at BIGINT NOT NULL DEFAULT 0, bytes BIGINT NOT NULL DEFAULT 0)
CREATE INDEX threads_ended ON threads (ended_at, number) WHERE ended_at > 0
CREATE TABLE title_forms (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    entity_key   TEXT NOT NULL,
    words        BIGINT NOT NULL, -- some of its words, 0 for a title that no text is searched for
    PRIMARY KEY (workspace_id, document_id, entity_key),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX titles_by_key ON title_forms (workspace_id, entity_key)
CREATE INDEX titles_by_words ON title_forms (workspace_id, words)
CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL, -- whose it is; '': made where nobody signs in
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL, -- the first letters of the token, by which people know it
    token_hash   TEXT NOT NULL,
    scopes       TEXT NOT NULL, -- as JSON
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL,
    address      TEXT NOT NULL  -- it was last used from
)
CREATE UNIQUE INDEX tokens_by_hash ON tokens (token_hash)
CREATE INDEX tokens_of_account ON tokens (workspace_id, account, created_at)
CREATE TABLE upload_parts (
    workspace_id TEXT NOT NULL,
    upload       INTEGER NOT NULL REFERENCES uploads (number) ON DELETE CASCADE,
    part         INTEGER NOT NULL, -- from 0
    data         BLOB NOT NULL,
    PRIMARY KEY (upload, part)
)
CREATE TABLE uploaded_files (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    upload       INTEGER NOT NULL REFERENCES uploads (number) ON DELETE CASCADE,
    size         BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
)
CREATE INDEX uploaded_files_of_upload ON uploaded_files (upload)
CREATE TABLE uploads (
    number       INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    at           BIGINT NOT NULL -- when its last part came
)
CREATE TABLE users (
    name          TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    BIGINT NOT NULL
, role TEXT NOT NULL DEFAULT 'owner', owner_by_sign_on BIGINT NOT NULL DEFAULT 0, language TEXT NOT NULL DEFAULT '')
CREATE TABLE web_pages (
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    run_id       TEXT    NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    n            INTEGER NOT NULL, -- place among what the search found, from 1
    address      TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    problem      TEXT    NOT NULL, -- why it was not read; '' where it was
    passages     INTEGER NOT NULL,
    fetched_at   BIGINT  NOT NULL, -- 0 until it was asked for
    PRIMARY KEY (workspace_id, id)
)
CREATE INDEX web_pages_of_run ON web_pages (run_id)
CREATE TABLE web_passages (
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    document_id  TEXT    NOT NULL, -- the page
    ordinal      INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    page         INTEGER NOT NULL,
    headings     TEXT    NOT NULL, -- as JSON
    text         TEXT    NOT NULL,
    tokens       INTEGER NOT NULL,
    places       TEXT    NOT NULL, -- as JSON
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES web_pages (workspace_id, id) ON DELETE CASCADE
)
CREATE INDEX web_passages_of_page ON web_passages (workspace_id, document_id, ordinal)
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
, document_id TEXT NOT NULL DEFAULT '')
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_try) WHERE next_try > 0
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (workspace_id, webhook_id, created_at)
CREATE TABLE webhooks (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    url          TEXT NOT NULL,
    events       TEXT NOT NULL, -- as JSON
    secret       TEXT NOT NULL, -- what deliveries are signed with
    person       TEXT NOT NULL, -- who added it
    created_at   BIGINT NOT NULL
)
CREATE TABLE workers (
    owner   TEXT PRIMARY KEY,
    host    TEXT NOT NULL,
    boot    TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    started TEXT NOT NULL,
    seen_at BIGINT NOT NULL
, session TEXT NOT NULL DEFAULT '')
CREATE TABLE workspaces (
    id   TEXT PRIMARY KEY,
    head INTEGER NOT NULL
, name TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', about TEXT NOT NULL DEFAULT '', created_at BIGINT NOT NULL DEFAULT 0, archived_at BIGINT NOT NULL DEFAULT 0, delete_at BIGINT NOT NULL DEFAULT 0)
CREATE UNIQUE INDEX workspaces_by_name ON workspaces (name) WHERE name <> ''
