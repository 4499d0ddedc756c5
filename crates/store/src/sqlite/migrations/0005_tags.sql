-- Tags belong to whoever made them, and to the projects in which something carries them: two people may have tags of one name.
ALTER TABLE tags RENAME TO old_tags;
ALTER TABLE workflow_tags RENAME TO old_workflow_tags;
ALTER TABLE execution_tags RENAME TO old_execution_tags;
CREATE TABLE tags (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Nobody, for those that were made when everybody had all tags.
  owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX tags_by_name ON tags (name, id);
CREATE TABLE workflow_tags (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (workflow_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflows_of_tag ON workflow_tags (tag_id);
CREATE TABLE execution_tags (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (execution_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX executions_of_tag ON execution_tags (tag_id);
INSERT INTO tags (id, name, created_ms, updated_ms) SELECT id, name, created_ms, updated_ms FROM old_tags;
INSERT INTO workflow_tags SELECT workflow_id, tag_id FROM old_workflow_tags;
INSERT INTO execution_tags SELECT execution_id, tag_id FROM old_execution_tags;
DROP TABLE old_execution_tags;
DROP TABLE old_workflow_tags;
DROP TABLE old_tags;
