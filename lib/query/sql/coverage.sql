-- Which hosts and days are missing or cut short, and which files cannot be read.
WITH days AS (SELECT count(DISTINCT day) AS nr, max(day) AS last FROM recordings)
SELECT host, count(*) AS recordings, count(DISTINCT day) AS days,
       max(nr) - count(DISTINCT day) AS days_missing,
       max(day) AS last_day,
       sum(NOT is_trusted) AS untrusted,
       NULL AS problem, NULL AS file
  FROM recordings CROSS JOIN days
 GROUP BY host
HAVING days_missing > 0 OR untrusted > 0
UNION ALL
SELECT NULL, 0, 0, NULL, NULL, NULL, problem, file FROM files WHERE problem IS NOT NULL
 ORDER BY problem, untrusted DESC, days_missing DESC, host, file
