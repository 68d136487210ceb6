"""Pictures in, larger pictures out: numpy arrays on both sides, nothing of the server that calls it."""
