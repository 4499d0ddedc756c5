-- What somebody has decided about uncertain runs, until it takes effect: it can be taken back till then.
CREATE TABLE held_decisions (
  execution_id INTEGER PRIMARY KEY,
  -- Decisions that were made together.
  batch TEXT NOT NULL,
  -- What the step came to. Without it the step is taken again.
  result TEXT,
  -- How many events of the run were seen.
  seen INTEGER NOT NULL,
  decided_by TEXT NOT NULL,
  due_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX held_decisions_due ON held_decisions (due_ms, execution_id);
