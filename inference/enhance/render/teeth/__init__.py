"""Teeth: drawn ones, and the subject's own."""
