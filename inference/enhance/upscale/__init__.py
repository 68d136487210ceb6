"""Larger pictures: the networks' passes over tiles, the colours and the transparency beside them."""
