"""Last steps on a rendered mouth: tone, sharpness and grain."""
