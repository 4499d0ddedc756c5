-- Calls of agents that a person is asked about, as long as nobody has decided. They are written together with the events that tell of them.
CREATE TABLE approvals (
  id INTEGER PRIMARY KEY,
  execution_id INTEGER NOT NULL,
  call TEXT NOT NULL,
  -- The agent that asks.
  node TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  digest TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  -- It was decided while the run went on, which takes it up once it stands still.
  decided INTEGER NOT NULL DEFAULT 0,
  UNIQUE (execution_id, call)
) STRICT;
