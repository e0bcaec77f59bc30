-- Sums of each day, kernel, callsite and host: run this file on every server, after tables.sql. Rows
-- that are loaded from then on are added; daily-fill.sql adds those that are there.
CREATE TABLE IF NOT EXISTS daily_shard
(
    day Date,
    kernel String,
    machine String,
    sample String,
    host String,
    allocator String,
    callsite String,
    recordings_state AggregateFunction(uniqExact, String),
    hit_state AggregateFunction(sum, UInt64),
    bytes_state AggregateFunction(sum, UInt64),
    bytes_live_state AggregateFunction(sum, UInt64),
    -- Of how many rows bytes_live is known: 0 if no recording has frees.
    live_known_state AggregateFunction(sum, UInt64)
)
ENGINE = AggregatingMergeTree
PARTITION BY day
ORDER BY (allocator, callsite, kernel, machine, sample, host, day);

CREATE TABLE IF NOT EXISTS daily AS daily_shard
ENGINE = Distributed(fleet, currentDatabase(), daily_shard);

CREATE MATERIALIZED VIEW IF NOT EXISTS daily_load TO daily_shard AS
SELECT
    ifNull(day, toDate(0)) AS day,
    ifNull(kernel, '') AS kernel,
    ifNull(machine, '') AS machine,
    ifNull(sample, '') AS sample,
    ifNull(host, '') AS host,
    allocator,
    callsite,
    uniqExactState(recording_id) AS recordings_state,
    sumState(ifNull(hit, 0)) AS hit_state,
    sumState(ifNull(bytes, 0)) AS bytes_state,
    sumState(ifNull(bytes_live, 0)) AS bytes_live_state,
    sumState(toUInt64(isNotNull(bytes_live))) AS live_known_state
FROM allocations_shard
GROUP BY day, kernel, machine, sample, host, allocator, callsite;
