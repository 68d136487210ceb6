"""What the mouth should do: from speech and from what the clip shows of its subject to a mouth shape for each frame."""
