"""Mouths of drawings: their strokes found, erased and drawn again."""
