"""Faces of a clip: found, followed, and described by MediaPipe's mesh of 478 points.

Pictures are h x w x 3 uint8 RGB. Places are float32 pixels of the picture, x right and y down; the first pixel covers
0..1, so that a place in a picture twice as large is twice the place.
"""
