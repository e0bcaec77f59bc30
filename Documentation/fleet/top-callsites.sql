-- The callsites that allocate most on all hosts, and on how many.
SELECT
    allocator,
    callsite,
    uniqExact(host) AS hosts,
    uniqExact(recording_id) AS recordings,
    sum(hit) AS hit,
    sum(bytes) AS bytes,
    sum(bytes_live) AS bytes_live
FROM allocations
WHERE callsite != '[other]'
GROUP BY allocator, callsite
ORDER BY bytes DESC, allocator, callsite
