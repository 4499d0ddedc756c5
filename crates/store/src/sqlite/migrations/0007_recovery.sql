-- Unfinished runs that were resumed at a start: how often in a row the process had died with them, and how long their journal was.
CREATE TABLE interruptions (
  execution_id INTEGER PRIMARY KEY,
  deaths INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  -- A clean stop has left it behind since.
  was_stopped INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Events that are too large for a row of the journal, in parts: chunks of their lists, or what else of them is large. The journal names them by
-- their number; their place is made as that of the journal's rows.
CREATE TABLE journal_parts (
  place INTEGER PRIMARY KEY,
  sum INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
