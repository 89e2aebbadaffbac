"""A public data set: the human evaluations of a benchmark for conversations with retrieval. It is not part of the
repository: WHENCE_REAL_DATA names the folder that holds the converter and its input.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

DATA = Path(os.environ.get("WHENCE_REAL_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))


def real_batches():
    """The converter's batches."""
    made = subprocess.run([sys.executable, str(DATA / "mtrag_to_records.py"), str(DATA / "mtrag-human-evaluations.json")],
                          check=True, capture_output=True, text=True).stdout
    for line in made.splitlines():
        yield json.loads(line)
