"""What is seen between the lips: drawn, or lent by another frame of the clip."""
