-- Links that wake a run name the wait that they are for from now on. Older ones wake a run only from the wait that it was on its way to.
INSERT INTO facts (key, value) VALUES ('links_named_waits_ms', unixepoch() * 1000) ON CONFLICT DO NOTHING;
