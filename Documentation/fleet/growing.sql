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
        -- Of each recording, by start and half of its ID, in this order. The ones keep those with 0 bytes.
        sumMap([assumeNotNull(start_unix) * 4294967296 + reinterpretAsUInt32(reverse(unhex(substring(recording_id, 1, 8))))],
            [assumeNotNull(ifNull(net_estimate, bytes_live))], [toUInt64(1)]).2 AS lives
    FROM allocations
    WHERE callsite != '[other]' AND isNotNull(host) AND isNotNull(start_unix) AND isNotNull(bytes_live)
    GROUP BY host, allocator, callsite
)
WHERE recordings >= 2 AND bytes_last > bytes_first
ORDER BY bytes_more DESC, host, allocator, callsite
