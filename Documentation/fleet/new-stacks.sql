-- Callchains that kernels have from this one on, and that no earlier one has.
WITH '6.12' AS since_kernel -- kmemx: --set kernel=6.12
SELECT
    allocator,
    callsite,
    uniqExact(host) AS hosts,
    uniqExact(recording_id) AS recordings,
    sum(hit) AS hit,
    sum(bytes) AS bytes,
    stack
FROM
(
    SELECT
        allocator,
        callsite,
        stack,
        host,
        recording_id,
        hit,
        bytes,
        -- [6, 12, 9] of 6.12.9-amd64, as arrays are compared number by number.
        arrayMap(number -> least(toUInt64OrZero(number), 99999), [
            extract(ifNull(kernel, ''), '^([0-9]+)'),
            extract(ifNull(kernel, ''), '^[0-9]+\\.([0-9]+)'),
            extract(ifNull(kernel, ''), '^[0-9]+\\.[0-9]+\\.([0-9]+)')]) AS version,
        match(ifNull(kernel, ''), '^[0-9]') AS known
    FROM allocations
    WHERE callsite != '[other]'
)
GROUP BY allocator, callsite, stack
HAVING minIf(version, known) >= arrayMap(number -> toUInt64OrZero(number), splitByChar('.', since_kernel))
ORDER BY bytes DESC, allocator, stack
