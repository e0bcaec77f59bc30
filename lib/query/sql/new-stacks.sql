-- :kernel is the first release that may have them: --set kernel=6.12
WITH old AS MATERIALIZED (
        SELECT run_id FROM recordings WHERE kernel_version(kernel) < kernel_version(:kernel)),
     known AS MATERIALIZED (
        SELECT run_id FROM recordings WHERE kernel_version(kernel) >= kernel_version(:kernel)),
     -- The same callchain has several numbers if files differ in what else they know about it.
     new AS (
        SELECT allocator, callsite, stack, json_group_array(chain_id) AS ids
          FROM callchains AS c
         WHERE callsite <> '[other]'
         GROUP BY allocator, callsite, stack
        HAVING NOT max(EXISTS (SELECT 1 FROM chains WHERE chain_id = c.chain_id AND run_id IN old))
           AND max(EXISTS (SELECT 1 FROM chains WHERE chain_id = c.chain_id AND run_id IN known))),
     -- An allocator's rows of a recording have one run_id. Unlike a join, subqueries sort nothing.
     counted AS MATERIALIZED (
        SELECT allocator, callsite, stack,
               (SELECT json_array(count(DISTINCT host), count(DISTINCT run_id), sum(hit), sum(bytes))
                  FROM json_each(ids) CROSS JOIN chains ON chain_id = json_each.value) AS sums
          FROM new)
SELECT allocator, callsite, json_extract(sums, '$[0]') AS hosts, json_extract(sums, '$[1]') AS recordings,
       json_extract(sums, '$[2]') AS hit, json_extract(sums, '$[3]') AS bytes, stack
  FROM counted
 ORDER BY bytes DESC, allocator, stack
