// Unlisted entities have a label that Neo4j's tools do not look for, and are found by id and key alone.
CREATE CONSTRAINT unlisted_id IF NOT EXISTS FOR (e:__Unlisted__) REQUIRE (e.workspace_id, e.id) IS UNIQUE;
CREATE FULLTEXT INDEX unlisted_words IF NOT EXISTS FOR (e:__Unlisted__) ON EACH [e.words]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
