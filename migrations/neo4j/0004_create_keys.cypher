// A walk finds the entities of a name by the start of their key: an index takes no longer values.
MATCH (e:__Entity__) WHERE e.__key IS NULL AND size(e.key) <= 1000 SET e.__key = e.key;
MATCH (e:__Unlisted__) WHERE e.__key IS NULL AND size(e.key) <= 1000 SET e.__key = e.key;
CREATE INDEX entity_key IF NOT EXISTS FOR (e:__Entity__) ON (e.workspace_id, e.__key);
CREATE INDEX unlisted_key IF NOT EXISTS FOR (e:__Unlisted__) ON (e.workspace_id, e.__key);
