-- Rules about the tool calls of agents. The newest version is in force.
CREATE TABLE policies (
  version INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_ms INTEGER NOT NULL
) STRICT;
