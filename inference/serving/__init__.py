"""The shell between Triton's Python backend and `enhance`."""
