"""The program under test and its servers, as every test in Python starts them (`tests/tools/whence_e2e.py`)."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from records import feedback, response, unit  # noqa: E402, F401
from whence_e2e import (WHENCE, Connection, RpcError, Server, clean_env, free_ports, seed_of_run, token_lines, twin_store,  # noqa: E402, F401
                        wait_until, whence, write_private, write_tokens)
