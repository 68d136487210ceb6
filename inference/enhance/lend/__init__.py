"""Mouths lent from frame to frame: a clip's own teeth, tongue and inner lips instead of drawn ones."""
