-- The number of the last change of each workflow, so that a server reads only those again that have changed. A server
-- that starts empties it and reads them all.
CREATE TABLE changed_workflows (workflow_id TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX changed_workflows_number ON changed_workflows (number);
