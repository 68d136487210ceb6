"""The mouth of one frame, moved to a planned shape: numpy in, numpy out."""
