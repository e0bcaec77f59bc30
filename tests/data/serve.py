#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs a command with a debuginfod server of its own, which has the files of a directory.

usage: serve.py DIR|slow|liar COMMAND...

The server has DIR/buildid/ID/debuginfo. "slow" takes the connection and says nothing; "liar" gives the
first file of ./www whatever is asked for. What it is asked for is printed on stderr at the end.
"""
import http.server
import os
import subprocess
import sys
import threading
import time

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
                        data = f.read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        else:
            super().do_GET()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(os.environ, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}/",
                   DEBUGINFOD_CACHE_PATH=os.environ.get("DEBUGINFOD_CACHE_PATH", "cache"),
                   no_proxy="127.0.0.1")
code = subprocess.run(sys.argv[2:], env=environment, check=False).returncode
for path in dict.fromkeys(asked):
    print("asked for", path, file=sys.stderr)
sys.stderr.flush()
os._exit(code)
