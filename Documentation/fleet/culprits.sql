-- Callsites that kernels have from this one on, and that no earlier one has. Recordings that miss
-- something are left out.
WITH '6.12' AS since_kernel -- kmemx: --set kernel=6.12
SELECT
    allocator,
    callsite,
    uniqExact(host) AS hosts,
    uniqExact(recording_id) AS recordings,
    min(kernel) AS kernel_first,
    sum(hit) AS hit,
    sum(bytes) AS bytes,
    sum(bytes_live) AS bytes_live
FROM
(
    SELECT
        allocator,
        callsite,
        host,
        recording_id,
        kernel,
        hit * part AS hit,
        bytes * part AS bytes,
        bytes_live * part AS bytes_live,
        -- 16 if one in 16 objects was recorded.
        greatest(1, toUInt64OrZero(extract(ifNull(sample, ''), '^1/([0-9]+)'))) AS part,
        -- [6, 12, 9] of 6.12.9-amd64, as arrays are compared number by number.
        arrayMap(number -> least(toUInt64OrZero(number), 99999), [
            extract(ifNull(kernel, ''), '^([0-9]+)'),
            extract(ifNull(kernel, ''), '^[0-9]+\\.([0-9]+)'),
            extract(ifNull(kernel, ''), '^[0-9]+\\.[0-9]+\\.([0-9]+)')]) AS version,
        match(ifNull(kernel, ''), '^[0-9]') AS known
    FROM allocations
    WHERE callsite != '[other]'
        AND ifNull(lost, 0) = 0 AND ifNull(gaps, 0) = 0 AND ifNull(unknown_gaps, 0) = 0
        AND ifNull(dropped, 0) = 0 AND ifNull(missing, 0) = 0 AND ifNull(bad_pages, 0) = 0
        AND isNull(truncated) AND isNull(scope)
)
GROUP BY allocator, callsite
HAVING minIf(version, known) >= arrayMap(number -> toUInt64OrZero(number), splitByChar('.', since_kernel))
ORDER BY bytes DESC, allocator, callsite
