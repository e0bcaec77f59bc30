-- For tables that were made without the column balance: run it once on every server, then tables.sql, which
-- makes the view recordings again, before loading rows that have it. Rows that are there have NULL in it.
ALTER TABLE allocations_shard ADD COLUMN balance Nullable(String) AFTER labels;

ALTER TABLE allocations ADD COLUMN balance Nullable(String) AFTER labels;

DROP TABLE IF EXISTS recordings;
