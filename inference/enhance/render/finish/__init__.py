"""Last steps on a rendered mouth: tone, sharpness, grain, and the flow between two pictures of it."""
