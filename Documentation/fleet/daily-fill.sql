-- Makes the sums of daily.sql again, from all rows: run it on one replica of each shard while nothing loads.
TRUNCATE TABLE daily_shard;

INSERT INTO daily_shard
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
