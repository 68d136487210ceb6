"""A still portrait made to move: its head's path over time, and each frame with the head turned and the lids lowered."""
