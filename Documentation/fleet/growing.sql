-- Hosts whose callsite has more live bytes in its last recording than in its first one.
SELECT
    host,
    allocator,
    callsite,
    length(lives) AS recordings,
    lives[1] AS bytes_first,
    lives[-1] AS bytes_last,
    bytes_last - bytes_first AS bytes_more,
    -- How often there were less than in the recording before.
    arrayCount((before, after) -> after < before, arrayPopBack(lives), arrayPopFront(lives)) AS shrank
FROM
(
    SELECT
        host,
        allocator,
        callsite,
        arrayMap(r -> r.3, arraySort(groupArray((start, recording_id, live)))) AS lives
    FROM
    (
        SELECT
            host,
            allocator,
            callsite,
            recording_id,
            assumeNotNull(any(start_unix)) AS start,
            assumeNotNull(sum(ifNull(net_estimate, bytes_live))) AS live
        FROM allocations
        WHERE callsite != '[other]' AND isNotNull(host) AND isNotNull(start_unix) AND isNotNull(bytes_live)
        GROUP BY host, allocator, callsite, recording_id
    )
    GROUP BY host, allocator, callsite
)
WHERE recordings >= 2 AND bytes_last > bytes_first
ORDER BY bytes_more DESC, host, allocator, callsite
