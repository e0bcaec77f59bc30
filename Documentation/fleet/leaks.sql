-- Callsites that grew on hosts between their first and last recording, and on how many. Recordings
-- that miss something are left out. kmemx query leaks has the same figures, and tests them.
SELECT
    allocator,
    callsite,
    count() AS hosts,
    countIf(more > 0) AS grew,
    countIf(more < 0) AS shrank,
    sum(more) AS bytes_more
FROM
(
    SELECT
        host,
        allocator,
        callsite,
        -- Of each recording, by start and half of its ID, in this order. The ones keep those with 0 bytes.
        sumMap([assumeNotNull(start_unix) * 4294967296 + reinterpretAsUInt32(reverse(unhex(substring(recording_id, 1, 8))))],
            -- 16 if one in 16 objects was recorded.
            [assumeNotNull(ifNull(net_estimate, bytes_live) *
                greatest(1, toUInt64OrZero(extract(ifNull(sample, ''), '^1/([0-9]+)'))))], [toUInt64(1)]) AS sums,
        arrayMap(key -> intDiv(key, 4294967296), sums.1) AS starts,
        sums.2 AS lives,
        toInt64(lives[-1]) - toInt64(lives[1]) AS more
    FROM allocations
    WHERE callsite != '[other]' AND isNotNull(host) AND isNotNull(start_unix) AND isNotNull(bytes_live)
        AND ifNull(lost, 0) = 0 AND ifNull(gaps, 0) = 0 AND ifNull(unknown_gaps, 0) = 0
        AND ifNull(dropped, 0) = 0 AND ifNull(missing, 0) = 0 AND ifNull(bad_pages, 0) = 0
        AND isNull(truncated) AND isNull(scope)
    GROUP BY host, allocator, callsite
    HAVING starts[-1] > starts[1]
)
GROUP BY allocator, callsite
HAVING grew > 0 OR shrank > 0
ORDER BY bytes_more DESC, allocator, callsite
