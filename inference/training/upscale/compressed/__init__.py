"""photo for pictures that were compressed: waifu2x's network, trained on from where its authors left it."""
