"""What lies in front of a mouth, and how far a frame's mouth can be measured at all."""
