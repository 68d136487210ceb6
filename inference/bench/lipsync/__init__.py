"""How good a lip-synced file is, measured on the file itself: see bench/lipsync.ts, which drives it."""
