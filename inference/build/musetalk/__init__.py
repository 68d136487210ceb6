"""MuseTalk's published weights as a release of the slot of a renderer: docs/guides/neural-renderer.md."""
