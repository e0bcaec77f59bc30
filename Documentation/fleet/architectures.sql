-- The same callsite on machines of different architectures.
SELECT
    allocator,
    callsite,
    m.1 AS machine,
    m.2 AS hosts,
    m.3 AS recordings,
    m.4 AS hit,
    m.5 AS bytes,
    if(hit = 0, NULL, intDiv(bytes, if(hit = 0, 1, hit))) AS bytes_per_hit
FROM
(
    SELECT
        allocator,
        callsite,
        sum(bytes) AS all_bytes,
        groupArray((machine, hosts, recordings, hit, bytes)) AS machines
    FROM
    (
        SELECT
            allocator,
            callsite,
            assumeNotNull(machine) AS machine,
            uniqExact(host) AS hosts,
            uniqExact(recording_id) AS recordings,
            sum(hit) AS hit,
            sum(bytes) AS bytes
        FROM allocations
        WHERE callsite != '[other]' AND isNotNull(machine)
        GROUP BY allocator, callsite, machine
    )
    GROUP BY allocator, callsite
    HAVING count() >= 2
)
ARRAY JOIN machines AS m
ORDER BY all_bytes DESC, allocator, callsite, machine
