"""Faces, speech, mouths and larger pictures: numpy arrays in and out, nothing of the server that calls it."""
