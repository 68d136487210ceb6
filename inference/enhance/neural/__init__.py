"""Mouths that a network paints: the face is cut out, its lower half painted anew, and what was painted put back."""
