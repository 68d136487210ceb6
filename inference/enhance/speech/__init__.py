"""What a mouth does while speech is heard: sound to articulatory classes, curves and activity, in any language."""
