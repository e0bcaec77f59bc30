-- Hosts that use a callsite far more than the others of their architecture do, and than they use other
-- callsites: a big host is not out of line. Sizes are logarithms of bytes per second, because hosts
-- differ by factors. At least 20 hosts must have the callsite. What a host is above the middle is
-- divided by the others' spread there: half a normal distribution that reaches their 90th and 95th
-- percentile, or the usual spread of callsites, if it is more. p is the tail of Student's t distribution:
-- with few hosts the spread is uncertain. q is of Benjamini and Hochberg, over all hosts' callsites.
WITH host AS (
        SELECT site_id, host_id, machine, count(*) AS recordings,
               ln(quantile(bytes * 1e9 / duration_ns, 0.5)) AS size
          FROM trusted
         WHERE callsite <> '[other]' AND host IS NOT NULL AND duration_ns > 0 AND bytes > 0
         GROUP BY site_id, host_id),
     middle AS (
        SELECT site_id, machine, min(host_id) AS peers, count(*) AS hosts, quantile(size, 0.5) AS mid
          FROM host GROUP BY site_id, machine
        HAVING count(*) >= 20),
     relative AS (
        SELECT site_id, host_id, peers, recordings, size, size - mid AS more
          FROM host CROSS JOIN middle USING (site_id, machine)),
     level AS (SELECT host_id, quantile(more, 0.5) AS usual FROM relative GROUP BY host_id),
     cell AS (
        SELECT site_id, host_id, peers, recordings, size, more - usual AS far
          FROM relative CROSS JOIN level USING (host_id)),
     spread AS (
        SELECT site_id, peers, machine, hosts, mid, zero, own
          FROM (SELECT site_id, peers, quantile(far, 0.5) AS zero,
                       max((quantile(far, 0.90) - quantile(far, 0.5)) / 1.2816,
                           (quantile(far, 0.95) - quantile(far, 0.5)) / 1.6449) AS own
                  FROM cell GROUP BY site_id, peers)
               CROSS JOIN middle USING (site_id, peers)),
     typical AS (SELECT machine, quantile(own, 0.5) AS least FROM spread GROUP BY machine),
     -- One row for each group of hosts, so that a cell is compared with its group in one step.
     bounds AS MATERIALIZED (
        SELECT site_id, peers, machine, hosts, mid, zero, max(own, least) AS width
          FROM spread CROSS JOIN typical USING (machine)),
     test AS (
        SELECT *, student((far - zero) / width, min(hosts / 4, 30)) AS p
          FROM cell CROSS JOIN bounds USING (site_id, peers)
         WHERE far - zero > 1.5 * width),
     -- A p above 5 % has no q below it: such rows need no rank.
     ranked AS (
        SELECT *, p * (SELECT count(*) FROM cell) / row_number() OVER (ORDER BY p) AS adjusted
          FROM test WHERE p <= 0.05),
     corrected AS (SELECT *, min(1, min(adjusted) OVER (ORDER BY p DESC)) AS q FROM ranked)
SELECT host, corrected.machine, allocator, callsite, hosts, recordings,
       round(exp(size), 1) AS host_per_second, round(exp(mid), 1) AS others_per_second,
       round(exp(far), 1) AS times, p, q
  FROM corrected JOIN hosts USING (host_id) JOIN callsites USING (site_id)
 WHERE q <= 0.05 AND far > ln(4)
 ORDER BY far DESC, host, allocator, callsite
