"""Which shape the mouth takes in each frame of a clip: from what is heard, and from how this subject's mouth moves."""
