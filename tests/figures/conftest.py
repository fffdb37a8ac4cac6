"""Makes the example figures importable by their short name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
