-- Makes the sums of a day again, from its rows: write the day in both places, and run this on one
-- server of each shard while nothing is loaded.
ALTER TABLE daily_shard DROP PARTITION '2026-11-22';

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
WHERE day = toDate('2026-11-22')
GROUP BY day, kernel, machine, sample, host, allocator, callsite;
