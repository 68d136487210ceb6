"""Where a face is in a picture: the numbered points of its mesh, its head's own axes, and the pixels round it."""
