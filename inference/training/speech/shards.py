"""Labelled training speech, in shards that two processes make side by side. Each is a function of its number alone."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from enhance.speech.features import RATE, Floats, log_mel

from . import festival, flite, real, text
from .augment import Said, record, vary
from .espeak import espeak
from .nonspeech import Rng, nonspeech
from .phones import Segment, label_frames

Utterance = tuple[Floats, int, list[Segment]]

RECORDINGS = 2  # of each utterance
REAL_RECORDINGS = 80  # of each real speaker, shared out among the clips, 3 to 40 of each
# espeak-ng's voice, the catalogue its text comes from, weight. Spanish, Hindi and Turkish are left out: they judge.
LANGUAGES = (
    [(voice, "en", 3.0) for voice in ("en-us", "en-029", "en-gb-x-rp", "en-gb-scotland")]
    + [("cmn-latn-pinyin", "pinyin", 3.0), ("pt-br", "pt_BR", 1.0), ("fr-be", "fr", 1.0)]
    + [(voice, voice, 2.0) for voice in "fr de it ru ar ko vi".split()]
    + [(voice, voice, 1.0) for voice in "pt pl nl sv cs fi hu id el uk ro da nb ca bg hr sk sl lt lv et fa ka eu sq eo".split()]
)
VARIANTS = (
    "m1 m2 m4 m5 m6 m7 f1 f2 f4 f5 klatt klatt2 klatt4 Alex Alicia Andrea Andy Annie Diogo Gene Gene2 Henrique Hugo Jacky Lee "
    "Marco Mario Michael Mike adam anika antonio aunty benjamin boris caleb david ed edward edward2 grandma grandpa gustave "
    "iven iven2 iven3 john kaukovalta linda marcelo max michel miguel pablo paul pedro quincy rob robert sandro shelby steph "
    "steph2 travis victor zac"
).split()
_SHARES = {"espeak": 0.44, "flite": 0.26, "festival": 0.22, "nonspeech": 0.08}
_FESTIVAL_WEIGHTS = {"nsh": 0.45, "ked": 0.25, "kal": 0.1, "slt_hts": 0.2}


def write_shard(folder: Path, number: int, utterances: int) -> Path:
    """`shard_NNN.npz`: MEL float16 [frames, 40] as heard (not normalised), LABELS int8 [frames], LENGTHS of the recordings."""
    rng = np.random.default_rng(number)
    return _write(folder / f"shard_{number:03d}.npz", _recordings(utterances, random.Random(number), rng))


def write_real_shard(folder: Path, clips: Path) -> Path:
    """`shard_real.npz`: the same of the GRID clips in `clips`, each speaker about as often as any other."""
    said = list(real.utterances(clips, held_out=False))
    shares = Counter(speaker for speaker, *_ in said)
    rng = np.random.default_rng(0)

    def recordings() -> Iterator[Said]:
        for speaker, pcm, rate, segments in said:
            for _ in range(min(max(round(REAL_RECORDINGS / shares[speaker]), 3), 40)):
                yield vary(pcm, rate, segments, rng)

    return _write(folder / "shard_real.npz", recordings())


def write_nonspeech_shard(folder: Path, recordings: int) -> Path:
    """`shard_none.npz`: the same of sounds in which nobody speaks."""
    rng = np.random.default_rng(1)
    sounds = (nonspeech(int(RATE * rng.uniform(1, 10)), rng) for _ in range(recordings))
    return _write(folder / "shard_none.npz", ((record(sound, rng), []) for sound in sounds))


def _write(path: Path, recordings: Iterator[Said]) -> Path:
    mels, labels = [], []
    for pcm, segments in recordings:
        mel = log_mel(pcm)
        mels.append(mel.astype(np.float16))
        labels.append(label_frames(segments, len(mel)).astype(np.int8))
    aside = path.with_suffix(".part.npz")
    lengths = np.array([len(mel) for mel in mels])
    np.savez(aside, MEL=np.concatenate(mels), LABELS=np.concatenate(labels), LENGTHS=lengths)
    return aside.replace(path)


def _recordings(utterances: int, draw: random.Random, rng: Rng) -> Iterator[Said]:
    counts = {kind: round(utterances * share) for kind, share in _SHARES.items()}
    sources = (_espeak(counts["espeak"], draw), _flite(counts["flite"], draw), _festival(counts["festival"], draw))
    for utterance in (each for source in sources for each in source):
        pcm, rate, segments = utterance
        if 0.5 < len(pcm) / rate < 12 and np.abs(pcm).max() > 0.01:
            for _ in range(RECORDINGS):
                yield vary(pcm, rate, segments, rng)
    for _ in range(counts["nonspeech"] * RECORDINGS):
        yield record(nonspeech(int(RATE * rng.uniform(1, 8)), rng), rng), []


def _espeak(count: int, draw: random.Random) -> Iterator[Utterance]:
    for _ in range(count):
        voice, locale, _weight = draw.choices(LANGUAGES, [weight for *_, weight in LANGUAGES])[0]
        variant = draw.choice([*VARIANTS, *[""] * 6])
        said = text.pick(locale, draw)
        if draw.random() < 0.25:  # more lips: pressed, on the teeth, round
            said = said.replace("t", draw.choice("pbmfvw"), 2)
        voice += f"+{variant}" if variant else ""
        yield espeak().say(said, voice, draw.randint(120, 230), draw.randint(15, 85), draw.randint(20, 80))


def _flite(count: int, draw: random.Random) -> Iterator[Utterance]:
    for _ in range(count):
        said = "".join(letter for letter in text.pick("en", draw) if letter.isascii())
        yield flite.say(said, draw.choice(flite.VOICES), draw.uniform(0.8, 1.25), draw.uniform(85, 220))


def _festival(count: int, draw: random.Random) -> Iterator[Utterance]:
    for name, share in _FESTIVAL_WEIGHTS.items():
        voice = festival.TRAINING[name]
        yield from festival.say_all(voice, [text.pick(voice.language, draw) for _ in range(round(count * share))])
