-- How the lines of kmemx balance changed on hosts, by kernel: the bytes of a line after a host's
-- last recording with a kernel, minus those before its first one; bytes_median is the median of the
-- hosts. Lines that chance does not explain come first: q, as in leaks, is at most 5 %.
-- These counters do not depend on events, so no recording is left out.
WITH one AS (
        SELECT host, machine, kernel, key AS line, start_unix,
               CAST(json_extract(value, '$[0]') AS INTEGER) AS before,
               CAST(json_extract(value, '$[1]') AS INTEGER) AS after
          FROM recordings CROSS JOIN json_each(CASE WHEN json_valid(balance) THEN balance END)
         WHERE host IS NOT NULL AND kernel IS NOT NULL AND start_unix IS NOT NULL AND type = 'array'),
     host AS (
        SELECT kernel, line, at_last(start_unix, after) - at_first(start_unix, before) AS more
          FROM one GROUP BY host, machine, kernel, line),
     test AS (
        SELECT kernel, line, count(*) AS hosts, sum(more > 0) AS grew, sum(more < 0) AS shrank,
               quantile(more, 0.5) AS bytes_median, sum(more) AS bytes_more,
               sign_test(sum(more > 0), sum(more < 0)) AS p
          FROM host GROUP BY kernel, line),
     ranked AS (
        SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p) AS adjusted
          FROM test WHERE p IS NOT NULL),
     corrected AS (SELECT *, min(1, min(adjusted) OVER (ORDER BY p DESC)) AS q FROM ranked)
SELECT kernel, hosts, grew, shrank, CAST(round(bytes_median) AS INTEGER) AS bytes_median, bytes_more, p, q, line
  FROM corrected
 ORDER BY q > 0.05, abs(bytes_more) DESC, kernel, line
