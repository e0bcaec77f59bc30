-- How the lines of kmemx balance changed on hosts, by kernel: what a line has after a host's last recording
-- with a kernel, less what it had before its first one.
SELECT
    kernel,
    count() AS hosts,
    countIf(more > 0) AS grew,
    countIf(more < 0) AS shrank,
    sum(more) AS bytes_more,
    line
FROM
(
    SELECT
        host,
        machine,
        kernel,
        extract(one, '^"([^"]+)"') AS line,
        arraySort(groupArray((start, recording_id,
            toInt64(extract(one, '\\[(-?[0-9]+),')),
            toInt64(extract(one, ',(-?[0-9]+)\\]'))))) AS levels,
        levels[-1].4 - levels[1].3 AS more
    FROM
    (
        -- Each line is "free":[410951680,398397440], the bytes before and after.
        SELECT DISTINCT
            recording_id,
            host,
            machine,
            kernel,
            assumeNotNull(start_unix) AS start,
            arrayJoin(extractAll(assumeNotNull(balance), '"[^"]+":\\[-?[0-9]+,-?[0-9]+\\]')) AS one
        FROM allocations
        WHERE isNotNull(balance) AND isNotNull(host) AND isNotNull(kernel) AND isNotNull(start_unix)
    )
    GROUP BY host, machine, kernel, line
)
GROUP BY kernel, line
HAVING grew + shrank > 0
ORDER BY abs(bytes_more) DESC, kernel, line
