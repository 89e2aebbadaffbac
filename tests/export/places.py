"""Lets the modules here import those of the other test folders: import this first."""
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / folder) for folder in ("tools", "end_to_end") if str(TESTS / folder) not in sys.path]
