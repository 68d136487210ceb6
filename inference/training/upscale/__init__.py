"""The recipe of the realtime upscaler: pictures -> a small network that doubles video as fast as it plays. See README.md."""
