"""The mouth of one frame, moved to a planned shape: numpy in, numpy out.

Lengths are in S, the distance of the outer eye corners (geometry/head.py). The steps of a frame, in compose.py:

1. see(): what the frame shows, whatever mouth is asked for. A veil over the picture (veil.py) and captions (cover/) are taken
   off. What covers the face is found and taken off (cover/occlusion.py), and how far the frame's mouth can be believed
   (cover/trust.py). The outlines of its lips are found (lips/outline.py).
2. with_mouth(): lips/shape.py says where the lips go, warp.py moves the pixels there, and finish/ gives them the colours, the
   light and the sharpness of the subject.
3. The open mouth is filled (inside/): with what other frames of the clip show of it (merged.py), else it is drawn
   (interior.py, teeth/; flat.py for flat drawings).
4. What was taken off is laid back, last of all the veil.

Where a mouth is drawn in outline, drawn/ takes the drawing's own mouth away and draws the new one by its lines.
In films, lips painted flat are first shut in each frame as the subject's are (drawn/shut_lips.py).
Before the first frame measure.py looks at the subject, and inside/merge.py merges the inside of the mouth from several frames.
"""
