-- For tables that were made without these columns: run it once on every server, before loading rows
-- that have them. Rows that are there have NULL in them.
ALTER TABLE allocations_shard
    ADD COLUMN entry Nullable(String) AFTER stack_id,
    ADD COLUMN process Nullable(String) AFTER comm,
    ADD COLUMN cgroup Nullable(String) AFTER process,
    ADD COLUMN bytes_charged Nullable(UInt64) AFTER net_estimate;

ALTER TABLE allocations
    ADD COLUMN entry Nullable(String) AFTER stack_id,
    ADD COLUMN process Nullable(String) AFTER comm,
    ADD COLUMN cgroup Nullable(String) AFTER process,
    ADD COLUMN bytes_charged Nullable(UInt64) AFTER net_estimate;
