"""Runs a notebook from its first cell to its last, in a folder of its own, and fails where a cell does.

    python notebook.py examples/notebook.ipynb [--write]

With `--write` the notebook keeps what its cells showed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any



def main() -> None:
    """Runs the notebook that the arguments name."""
    # Neither of them has types.
    nbformat: Any = import_module("nbformat")
    nbclient: Any = import_module("nbclient")
    file = Path(sys.argv[1])
    notebook = nbformat.read(file, as_version=4)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    cells = sum(1 for cell in notebook.cells if cell.cell_type == "code")
    print(f"{file}: {cells} cells ran in {time.monotonic() - began:.0f} s")
    if "--write" in sys.argv:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, file)


if __name__ == "__main__":
    main()
