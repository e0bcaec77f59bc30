-- Hosts that use a callsite far more than the others of their architecture do, and than they use other
-- callsites: a big host is not out of line. Sizes are logarithms of bytes per second, because hosts
-- differ by factors. Far is three times the distance of the quartiles above the upper one (Tukey's
-- outer fence). At least 20 hosts must have the callsite.
WITH value AS (
        SELECT host, machine, allocator, callsite, recording_id,
               sum(bytes) * 1e9 / max(duration_ns) AS per_second
          FROM trusted
         WHERE callsite <> '[other]' AND host IS NOT NULL AND duration_ns > 0 AND bytes > 0
         GROUP BY host, machine, allocator, callsite, recording_id),
     host AS (
        SELECT host, machine, allocator, callsite, count(*) AS recordings,
               ln(quantile(per_second, 0.5)) AS size
          FROM value GROUP BY host, machine, allocator, callsite),
     middle AS (
        SELECT machine, allocator, callsite, count(*) AS hosts, quantile(size, 0.5) AS mid
          FROM host GROUP BY machine, allocator, callsite
        HAVING count(*) >= 20),
     relative AS (
        SELECT host, machine, allocator, callsite, hosts, recordings, size, mid, size - mid AS more
          FROM host CROSS JOIN middle USING (machine, allocator, callsite)),
     level AS (SELECT host, machine, quantile(more, 0.5) AS usual FROM relative GROUP BY host, machine),
     fence AS (
        SELECT machine, allocator, callsite, quantile(more - usual, 0.25) AS low,
               quantile(more - usual, 0.75) AS high
          FROM relative CROSS JOIN level USING (host, machine)
         GROUP BY machine, allocator, callsite)
SELECT host, machine, allocator, callsite, hosts, recordings,
       round(exp(size), 1) AS host_per_second, round(exp(mid), 1) AS others_per_second,
       round(exp(more - usual), 1) AS times, round(exp(low), 2) AS times_quartile_1,
       round(exp(high), 2) AS times_quartile_3
  FROM relative CROSS JOIN level USING (host, machine)
               CROSS JOIN fence USING (machine, allocator, callsite)
 WHERE more - usual > high + 3 * (high - low) AND more - usual > ln(4)
 ORDER BY more - usual DESC, host, allocator, callsite
