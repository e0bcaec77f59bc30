#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs several checks of one recording in one process, so that they share what they read.

usage: checks.py <CHECKS

Each line of CHECKS has a name, the reason to print if it fails, a script of this directory and its
arguments, separated by tabs. For each, prints "passed" or "failed", the name, and the reason for a
failure, also separated by tabs; then the failed script's output, indented. A script's main() reads
its arguments from sys.argv and returns whether it fails.
"""
import contextlib
import importlib
import io
import sys
import traceback


def passes(script, arguments):
    """Runs the script. Returns whether it succeeds."""
    sys.argv = [script, *arguments]
    try:
        return not importlib.import_module(script.removesuffix(".py")).main()
    except SystemExit as error:
        print(error)
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc(file=sys.stdout)
    return False


def main():
    for line in sys.stdin:
        name, why, script, *arguments = line.rstrip("\n").split("\t")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            passed = passes(script, arguments)
        if passed:
            print("passed", name, sep="\t", flush=True)
            continue
        print("failed", name, why, sep="\t")
        print(*("    " + text[:400] for text in printed.getvalue().splitlines()[:60]), sep="\n",
              flush=True)


if __name__ == "__main__":
    main()
