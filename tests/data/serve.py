#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs a command with its own debuginfod server, which serves the files of a directory.

usage: serve.py DIR|slow|liar|junk|endless|bomb|interrupt COMMAND...

The server has DIR/buildid/ID/debuginfo. "slow" accepts connections and never answers; "liar" sends
the first file of ./www for any request, "junk" a text. "endless" sends without a length until the
client disconnects; "bomb" does so with gzipped zeros. "interrupt" sends a part, waits until that is
in the cache, and sends SIGINT to the command. At the end, prints all requests on stderr.
"""
import glob
import http.server
import os
import signal
import subprocess
import sys
import threading
import time
import zlib

asked = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=sys.argv[1])

    def do_GET(self):
        asked.append(self.path)
        if sys.argv[1] == "slow":
            time.sleep(20)
        elif sys.argv[1] == "liar":
            for top, _, files in os.walk("www"):
                if files:
                    with open(os.path.join(top, files[0]), "rb") as f:
                        self.give(f.read())
        elif sys.argv[1] == "junk":
            self.give(b"<html>Please log in.</html>")
        elif sys.argv[1] == "interrupt":
            self.give_part()
        elif sys.argv[1] in ("endless", "bomb"):
            self.give_for_ever(sys.argv[1] == "bomb")
        else:
            super().do_GET()

    def give(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def give_part(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(bytes(1000))
        while not any(os.path.getsize(part) for part in glob.glob("cache/*/debuginfo.*")):
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        time.sleep(20)

    def give_for_ever(self, compressed):
        zeros = bytes(1 << 20)
        packer = zlib.compressobj(wbits=31)
        self.send_response(200)
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        try:
            while True:
                self.wfile.write(packer.compress(zeros) if compressed else zeros)
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(os.environ, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}/",
                   DEBUGINFOD_CACHE_PATH=os.environ.get("DEBUGINFOD_CACHE_PATH", "cache"),
                   no_proxy="127.0.0.1")
child = subprocess.Popen(sys.argv[2:], env=environment)
code = child.wait()
for path in dict.fromkeys(asked):
    print("asked for", path, file=sys.stderr)
sys.stderr.flush()
os._exit(code if code >= 0 else 128 - code)
