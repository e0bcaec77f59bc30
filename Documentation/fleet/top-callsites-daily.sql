-- What top-callsites.sql returns, from the sums of daily.sql.
SELECT
    allocator,
    callsite,
    uniqExactIf(host, host != '') AS hosts,
    uniqExactMerge(recordings_state) AS recordings,
    sumMerge(hit_state) AS hit,
    sumMerge(bytes_state) AS bytes,
    if(sumMerge(live_known_state) = 0, NULL, sumMerge(bytes_live_state)) AS bytes_live
FROM daily
WHERE callsite != '[other]'
GROUP BY allocator, callsite
ORDER BY bytes DESC, allocator, callsite
