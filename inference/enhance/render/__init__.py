"""The mouth and the head of one frame, moved: numpy in, numpy out."""
