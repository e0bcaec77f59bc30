-- Control groups (containers, units) and programs that hold more pages in their hosts' last recording
-- than in the first. Recordings that miss something are left out.
SELECT
    cgroup,
    count() AS hosts,
    countIf(more > 0) AS grew,
    countIf(more < 0) AS shrank,
    sum(more) AS bytes_more,
    program
FROM
(
    SELECT
        host,
        cgroup,
        program,
        arraySort(groupArray((start, recording_id, live))) AS lives,
        toInt64(lives[-1].3) - toInt64(lives[1].3) AS more
    FROM
    (
        SELECT
            host,
            cgroup,
            assumeNotNull(coalesce(process, comm)) AS program,
            recording_id,
            assumeNotNull(any(start_unix)) AS start,
            assumeNotNull(sum(ifNull(net_estimate, bytes_live) *
                -- 16 if one in 16 objects was recorded.
                greatest(1, toUInt64OrZero(extract(ifNull(sample, ''), '^1/([0-9]+)'))))) AS live
        FROM allocations
        WHERE allocator = 'page' AND isNotNull(coalesce(process, comm))
            AND isNotNull(host) AND isNotNull(start_unix) AND isNotNull(bytes_live)
            AND ifNull(lost, 0) = 0 AND ifNull(gaps, 0) = 0 AND ifNull(unknown_gaps, 0) = 0
            AND ifNull(dropped, 0) = 0 AND ifNull(missing, 0) = 0 AND ifNull(bad_pages, 0) = 0
            AND isNull(truncated) AND isNull(scope)
        GROUP BY host, cgroup, program, recording_id
    )
    GROUP BY host, cgroup, program
    HAVING lives[-1].1 > lives[1].1
)
GROUP BY cgroup, program
HAVING grew > shrank AND bytes_more > 0
ORDER BY bytes_more DESC, cgroup NULLS FIRST, program
