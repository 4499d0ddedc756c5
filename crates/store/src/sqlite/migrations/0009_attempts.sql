-- What a process was about to do for a workflow, and how often in a row it was begun and never ended: activating it, a trigger's look for news.
CREATE TABLE attempts (
  workflow_id TEXT NOT NULL,
  what TEXT NOT NULL,
  begun INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, what)
) STRICT;
