// A walk finds the entities of a name by their key.
CREATE INDEX entity_key IF NOT EXISTS FOR (e:__Entity__) ON (e.workspace_id, e.key);
CREATE INDEX unlisted_key IF NOT EXISTS FOR (e:__Unlisted__) ON (e.workspace_id, e.key);
