"""The lips: their outline, the shape asked of them, and the field of displacements that brings them there."""
