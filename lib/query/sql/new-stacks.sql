-- :kernel is the release since which they are new: --set kernel=6.12
WITH old AS MATERIALIZED (
        SELECT run_id FROM recordings WHERE kernel_version(kernel) < kernel_version(:kernel)),
     known AS MATERIALIZED (
        SELECT run_id FROM recordings WHERE kernel_version(kernel) >= kernel_version(:kernel)),
     -- The same callchain has several numbers if files differ in what else they know about it.
     new AS (
        SELECT allocator, callsite, stack, min(chain_id) AS first_id
          FROM callchains AS c
         WHERE callsite <> '[other]'
         GROUP BY allocator, callsite, stack
        HAVING NOT max(EXISTS (SELECT 1 FROM chains WHERE chain_id = c.chain_id AND run_id IN old))
           AND max(EXISTS (SELECT 1 FROM chains WHERE chain_id = c.chain_id AND run_id IN known))),
     sums AS (
        SELECT first_id AS chain_id, count(DISTINCT host) AS hosts,
               count(DISTINCT recording_id) AS recordings, sum(hit) AS hit, sum(bytes) AS bytes
          FROM (SELECT first_id, chain_id AS id
                  FROM callchains CROSS JOIN new USING (stack, callsite, allocator))
               CROSS JOIN chains ON chain_id = id
         GROUP BY first_id)
SELECT allocator, callsite, hosts, recordings, hit, bytes, stack
  FROM sums CROSS JOIN callchains USING (chain_id)
 ORDER BY bytes DESC, allocator, stack
