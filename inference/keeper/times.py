"""How long the keeper waits and looks, in seconds."""

import os
import re

NUMBER = r"(?=.*[1-9])[0-9]*\.?[0-9]+"
_given = os.environ.get("KEEPER_PATIENCE", "")
PATIENCE = float(_given) if re.fullmatch(NUMBER, _given) else 1.0
"""How long the times below are that a hang may last: more for a machine that stalls, less for tests. run.py refuses what is
no number above 0."""
LOOK_SECONDS = 1.0
START_SECONDS = 600.0
"""Triton listens when the models of its flags are loaded; a network is compiled for the processor then."""
MISS_SECONDS = 5.0 * PATIENCE
MISSES = 3
"""So many health checks in a row without an answer, each of MISS_SECONDS, are a hang."""
FROZEN_SECONDS = 15.0 * PATIENCE
PING_SECONDS = 15.0 * PATIENCE
IDLE_SECONDS = 20.0 * PATIENCE
LONGEST_SECONDS = 1800.0 * PATIENCE
"""A model that has answered nobody for so long is at something that does not end."""
STUCK_SECONDS = 30.0 * PATIENCE
"""A process that ended before it listened, and that Triton has not cleared away by then, is one that Triton waits for."""
PING_WITHIN_SECONDS = 6 * 3600.0
LOAD_SECONDS = 180.0 * PATIENCE
"""A load whose processes, for so long, do less than BUSY_SHARE is one that does not end. On a busy machine it may take as long
as it likes: to start Triton anew would have all other models load as well, and make the machine busier."""
