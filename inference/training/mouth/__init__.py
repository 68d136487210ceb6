"""The recipe of the mouth prior: clips of people who speak -> networks that know how lips move with a sound. See README.md."""
