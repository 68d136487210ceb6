"""A portrait that is alive while it speaks: small head motion and blinks, as a track, and applied to a picture."""
