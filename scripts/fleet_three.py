# SPDX-License-Identifier: GPL-2.0-or-later
#
# Three servers that each have all rows (ReplicatedMergeTree), killed while rows load and while queries run;
# and the same three as shards. In: a fleet's files and the results of kmemx query on them. Out: those results
# from each server.
import json
import os
import re
import subprocess
import tempfile
import time

from fleet_servers import (QUERY_SECONDS, Failed, ZooKeeper, check_same, fill_daily, loader, make_tables, sql_file,
                           start_servers, wait_until)

TABLES = {"tables": "allocations_shard", "daily": "daily_shard"}
# Who is asked, who is killed when this share of the rows is there, and who is started again before. The
# second one leaves one server alone, which waits for another one and then takes no rows: it needs LONG=1.
ROUNDS = ((0, 0, 0.15, ()), (1, 2, 0.3, ()), (1, 2, 0.6, (0, 2)))
ATTEMPTS = 20       # of load, when the server that it asks has not seen yet that others are back
REPEAT = 50         # of a query, so that it runs when a server is killed
# The other replicas are asked, and in order, so that a query runs on the server that is killed.
ELSEWHERE = ("--prefer_localhost_replica", "0", "--load_balancing", "in_order")


def nr_rows(server, database="default"):
    return server.rows("SELECT count() AS nr FROM allocations_shard", database)[0]["nr"]


def load(kmemx, server, directory, victim=None, rows=0, database="default"):
    """Returns the exit code and the message. victim is killed when server has so many rows, unless load ends before."""
    running = loader(kmemx, server, directory, database)
    while victim and nr_rows(server) < rows:
        if running.poll() is not None:
            victim = None
    if victim:
        victim.kill()
    out, err = (text.decode(errors="replace") for text in running.communicate(timeout=QUERY_SECONDS))
    if running.returncode not in (0, 1) or (running.returncode == 1 and not err.startswith("load: a server does not ")):
        raise Failed("load: %d: %s%s" % (running.returncode, out, err))
    return running.returncode, out + err


def start_again(servers):
    for server in servers:
        server.start()
        server.wait_ready()


def kill_while_loading(kmemx, servers, directory, rows):
    for asked, victim, share, again in ROUNDS if os.environ.get("LONG") else ROUNDS[::2]:
        start_again([servers[i] for i in again if servers[i].process.poll() is not None])
        # An INSERT that a killed server has begun keeps others away until the replicas have given it up.
        for attempt in range(ATTEMPTS):
            code, text = load(kmemx, servers[asked], directory, servers[victim], share * rows)
            if code == 0 or servers[victim].process.poll() is not None:
                break
            print("load, again: %s" % " ".join(text.split())[:300])
            time.sleep(1)
        if servers[victim].process.poll() is None:
            raise Failed("load ends before a server is killed: " + text)
        if victim == asked and code == 0:
            raise Failed("load has not noticed that the server is gone: " + text)
        print("load asks server %d, server %d is killed: exit %d: %s" %
              (asked + 1, victim + 1, code, " ".join(text.split())[:300]))


def load_rest(kmemx, servers, directory, rows):
    """Until it is done, and once more: nothing is left, and nothing counts twice."""
    for attempt in range(ATTEMPTS):
        code, text = load(kmemx, servers[0], directory)
        if code == 0:
            break
        print("load, again: %s" % " ".join(text.split())[:300])
        time.sleep(1)
    again = load(kmemx, servers[0], directory)
    if code or again[0] or not again[1].startswith("0 recordings loaded"):
        raise Failed("load does not come to an end: %s%s" % (text, again[1]))
    for server in servers:
        # One that was killed fetches nothing until ZooKeeper notices that it was gone, after some seconds.
        wait_until(lambda: nr_rows(server) >= rows, "a server does not get all rows")
        if nr_rows(server) != rows:
            raise Failed("a server has %d rows of %d" % (nr_rows(server), rows))


def check_results(server, results, *options):
    for name, expected in results.items():
        check_same(name, server.rows(sql_file(name), "default", *options), expected)


def kill_while_querying(asked, victim, results):
    """A query whose server is killed fails and says so, or its result is right; the next one is right.
    asked must not have seen victim dead before, as it then prefers the others."""
    name = "new-stacks"
    sql = sql_file(name).rstrip() + "\nFORMAT JSONEachRow;\n"
    out = tempfile.TemporaryFile()      # a pipe that is full would stop it
    running = subprocess.Popen(asked.client("--multiquery", *ELSEWHERE), stdin=subprocess.PIPE, stdout=out,
                               stderr=subprocess.PIPE)
    running.stdin.write(sql.encode() * REPEAT)
    running.stdin.close()
    running.stdin = None
    while running.poll() is None:
        if victim.rows("SELECT 1 AS one FROM system.processes WHERE query NOT LIKE '%system.processes%'"):
            break
    else:
        raise Failed("the server to kill was not asked")
    victim.kill()
    err = running.communicate(timeout=QUERY_SECONDS)[1]
    out.seek(0)
    rows = [json.loads(line) for line in out.read().splitlines() if line]
    whole = len(rows) // len(results[name])
    if whole:
        check_same(name, rows[:whole * len(results[name])], results[name] * whole)
    if (running.returncode == 0) != (whole == REPEAT) or (running.returncode and b"Exception: " not in err):
        raise Failed("a query whose server is killed: %d: %d whole results: %s" % (running.returncode, whole, err))
    check_results(asked, {name: results[name]}, *ELSEWHERE)
    print("a server is killed while it answers: %d right results, then %s; asked again, all rows are right" %
          (whole, " ".join(err.decode(errors="replace").split())[:160] or "no error"))


def leader_of(servers, table):
    """18.16 passes what removes rows on to the leader, as the user "default", which these servers lack. Those
    that have just started choose one first."""
    sql = "SELECT is_leader FROM system.replicas WHERE table = '%s'" % table
    return wait_until(lambda: next((s for s in servers if s.rows(sql)[0]["is_leader"]), None),
                      "no server became the leader of " + table)


def check_shards(kmemx, servers, directory, results):
    """Each server has a third of the rows. Without one of them a query fails, it does not leave out rows."""
    database = "shards"
    make_tables(servers, database, database)
    code, text = load(kmemx, servers[0], directory, database=database)
    if code:
        raise Failed("load, of three shards: " + text)
    shares = [nr_rows(s, database) for s in servers]
    if not all(shares):
        raise Failed("a shard has no rows: %s" % shares)
    for server in servers:
        for name, expected in results.items():
            check_same(name + " on three shards", server.rows(sql_file(name), database), expected)
    servers[1].kill()
    try:
        servers[0].rows(sql_file("top-callsites"), database)
    except Failed as failed:
        if "Exception: " not in str(failed):
            raise
    else:
        raise Failed("a query without one of three shards does not fail")
    print("three shards of %s rows: all results are equal; without one a query fails" %
          " + ".join(map(str, shares)))


def check_three(kmemx, scratch, servers, files, results):
    """servers is empty, and gets those that run; files: their directory and the number of rows."""
    directory, rows = files
    start, zookeeper = time.monotonic(), ZooKeeper(scratch)
    try:
        start_servers(scratch, servers, {"fleet": [[0, 1, 2]], "shards": [[0], [1], [2]]}, zookeeper)
        for server in servers:
            for name, table in TABLES.items():
                server.ask(re.sub(r"^ENGINE = (\w*MergeTree)$", r"ENGINE = Replicated\1('/kmemx/{shard}/%s', '{replica}')" %
                                  table, sql_file(name), flags=re.M), "--multiquery")
        kill_while_loading(kmemx, servers, directory, rows)
        start_again(servers[2:])
        load_rest(kmemx, servers, directory, rows)
        fill_daily(leader_of(servers, "daily_shard"))
        for server in servers:
            server.ask("SYSTEM SYNC REPLICA daily_shard")
            check_results(server, results)
            check_same("top-callsites-daily", server.rows(sql_file("top-callsites-daily")), results["top-callsites"])
        kill_while_querying(servers[2], servers[0], results)
        start_again(servers[:1])
        check_results(servers[0], {"top-callsites": results["top-callsites"]})
        check_shards(kmemx, servers, directory, results)
        print("three servers: all results are equal, %.0f s" % (time.monotonic() - start))
    finally:
        zookeeper.stop()
