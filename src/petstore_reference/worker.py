"""A worker process of the reference server: counts in files, and adds to lists in files, without a lock.

Each line of the standard input is a path and a value, as JSON. A number is where the count begins; the worker prints
the count, one higher. The elements of a list are added to the list in the file; the worker prints its length.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> None:
    """Answer each line of the standard input with a number."""
    for line in sys.stdin:
        path, value = json.loads(line)
        content = None
        if os.path.exists(path):  # noqa: PTH110 - pathlib takes as long to import as the worker to start
            with open(path) as file:  # noqa: PTH123
                content = json.load(file)
        time.sleep(0.003)  # stands for the work on the request
        content = [*(content or []), *value] if isinstance(value, list) else (content or value) + 1
        own = f"{path}.{os.getpid()}"
        with open(own, "w") as file:  # noqa: PTH123
            json.dump(content, file)
        os.replace(own, path)  # noqa: PTH105
        print(len(content) if isinstance(content, list) else content, flush=True)


if __name__ == "__main__":
    main()
