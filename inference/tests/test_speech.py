"""What `speech` tells of sounds whose answer is known: the shipped network and recogniser, no recordings."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import enhance.speech.network as network_module
from enhance.speech.allphone import _parts, open_allphone
from enhance.speech.analysis import SpeechAnalyser, SpeechAnalysis
from enhance.speech.background import background_frames
from enhance.speech.beside import no_speech_after_all
from enhance.speech.classes import CLASSES, CURVES, INDEX, SHAPES, SIL, P
from enhance.speech.curves import CLOSES, CLOSURE, JAW, LABIODENTAL, closures, curves
from enhance.speech.features import log_mel, normalise
from enhance.speech.gaps import without_gaps
from enhance.speech.hearing import hear
from enhance.speech.held import held_sounds
from enhance.speech.network import open_speech_network
from enhance.speech.pace import at_pace, pace_of
from enhance.speech.rooms import room_share
from enhance.speech.voice import in_usual_voice
from tests.sounds import RATE, Floats, babble, hum, hurried, noise, say, seconds, tune

WEIGHTS, IN_ROOMS = (Path(__file__).parents[1] / "weights" / name for name in ("speech.onnx", "speech_rooms.onnx"))
HUM = 0.3 * np.sin(2 * np.pi * 50 * seconds(4)) + 0.1 * np.sin(2 * np.pi * 150 * seconds(4))
NOT_SPEECH = {
    "digital silence": np.zeros(4 * RATE),
    "a constant": np.full(4 * RATE, 0.3),
    "16-bit dither": np.random.default_rng(1).integers(-1, 2, 4 * RATE) / 32768,
    "hum": HUM,
    "hum and hiss": HUM + noise(4, 0.003),
    "white noise": noise(4),
    "quiet white noise": noise(4, 1e-3),
    "a tone": 0.5 * np.sin(2 * np.pi * 440 * seconds(4)),
    "beeps": 0.3 * np.sin(2 * np.pi * 1000 * seconds(4)) * (seconds(4) % 0.5 < 0.25),
    "a tune": tune(4),
}


@pytest.fixture(scope="module")
def analyser() -> SpeechAnalyser:
    return SpeechAnalyser(WEIGHTS, IN_ROOMS)


def heard(analyser: SpeechAnalyser, pcm: Floats, fuse: bool = False) -> SpeechAnalysis:
    return analyser.analyse(np.asarray(pcm, np.float32), fuse)


@pytest.mark.parametrize("samples", [0, 1, 159, 160, 161, 399, 1600, 16001])
@pytest.mark.parametrize("fuse", [False, True])
def test_every_length_gives_a_frame_for_each_whole_10_ms(analyser: SpeechAnalyser, samples: int, fuse: bool) -> None:
    speech = heard(analyser, babble()[RATE : RATE + samples], fuse)
    frames = samples // 160
    assert speech.posteriors.shape == (frames, len(CLASSES))
    assert speech.curves.shape == (frames, len(CURVES))
    assert speech.activity.shape == (frames,)
    assert {each.dtype for each in (speech.posteriors, speech.curves, speech.activity)} == {np.dtype(np.float32)}
    assert np.allclose(speech.posteriors.sum(1), 1, atol=1e-4)
    for values in (speech.posteriors, speech.activity):
        assert ((values >= 0) & (values <= 1)).all()


@pytest.mark.parametrize("name", NOT_SPEECH)
@pytest.mark.parametrize("fuse", [False, True])
def test_a_mouth_stays_shut_while_nobody_speaks(analyser: SpeechAnalyser, name: str, fuse: bool) -> None:
    speech = heard(analyser, NOT_SPEECH[name], fuse)
    assert speech.activity.max() == 0
    assert (speech.posteriors.argmax(1) == SIL).mean() > 0.95


@pytest.mark.parametrize("level", [1, 0.1, 0.003])
def test_speech_is_noticed_at_any_level(analyser: SpeechAnalyser, level: float) -> None:
    pcm = np.round(babble() * level * 32767) / 32768
    speech = heard(analyser, pcm)
    assert speech.activity[60:-60].min() > 0.9
    assert speech.activity[[0, -1]].max() < 0.1


def test_clipping_and_a_constant_change_little(analyser: SpeechAnalyser) -> None:
    jaw = heard(analyser, babble()).curves[:, JAW]
    for pcm, least in ((babble() + 0.2, 0.98), (np.clip(babble() * 5, -1, 1), 0.7)):  # a fifteenth of the samples clipped
        assert np.corrcoef(heard(analyser, pcm).curves[:, JAW], jaw)[0, 1] > least


def test_sound_beyond_full_scale_is_heard_as_within(analyser: SpeechAnalyser) -> None:
    pcm = np.asarray(babble() / 2, np.float32)
    loud = 8 * pcm
    loud[100] = 1e6  # one damaged sample
    assert np.abs(heard(analyser, loud).curves[10:] - heard(analyser, pcm).curves[10:]).mean() < 0.005


VOICES = {"man": (120, 1.0), "cartoon": (300, 1.8), "giant": (70, 0.6)}
"""Pitch in Hz and factor of the formants."""


@pytest.mark.parametrize("voice", VOICES)
def test_vowels_open_and_shape_the_mouth(analyser: SpeechAnalyser, voice: str) -> None:
    told = heard(analyser, babble(12, *VOICES[voice])).curves
    starts = range(40, 40 + 12 * 25, 25)  # of a syllable: 80 ms of m, then a, i or u
    vowels = np.stack([told[start + 12 : start + 22].mean(0) for start in starts]).reshape(4, 3, -1).mean(0)
    a, i, u = (dict(zip(CURVES, vowel, strict=True)) for vowel in vowels)
    assert a["jaw"] > 1.3 * max(i["jaw"], u["jaw"])
    assert i["width"] > 0.3 > -0.1 > u["width"]
    assert u["rounding"] > a["rounding"] + 0.2


def test_a_sung_note_is_heard_to_its_end(analyser: SpeechAnalyser) -> None:
    note = heard(analyser, np.concatenate([babble(4), say([("_", 0.1), ("M", 0.08), ("A", 2), ("_", 0.5)])]))
    start = len(babble(4)) // 160 + 18
    assert (note.activity[start : start + 185] > 0.9).mean() > 0.95
    assert note.curves[start + 5 : start + 185, JAW].min() > 0.3
    assert note.activity[-30:].max() < 0.1


@pytest.mark.parametrize(("vowel", "heard_as"), [("I", "I"), ("U", "T")])
def test_a_vowel_alone_in_a_file_is_heard(analyser: SpeechAnalyser, vowel: str, heard_as: str) -> None:
    """Less its own mean it would be silence, or a closure. U need only be a sound with open lips."""
    alone = analyser.analyse(say([("_", 1), (vowel, 2), ("_", 1)], 160), fuse=False)
    held = slice(120, 280)
    assert (alone.activity[held] > 0.5).mean() > 0.9
    assert CLASSES[alone.posteriors[held].mean(0).argmax()] == heard_as
    assert alone.curves[held, CURVES.index("closure")].max() < 0.5


def test_noise_in_a_pause_is_heard_as_noise(analyser: SpeechAnalyser) -> None:
    pcm = np.concatenate([babble(), np.zeros(2 * RATE, np.float32), babble()])
    pcm += noise(len(pcm) / RATE, 0.02)
    pause = len(babble()) // 160
    assert heard(analyser, pcm).activity[pause + 10 : pause + 190].max() < 0.1


def test_noise_that_gain_makes_as_loud_as_speech_moves_no_mouth(analyser: SpeechAnalyser) -> None:
    bands = np.fft.rfft(noise(1.2))
    pink = np.fft.irfft(bands / np.sqrt(np.arange(len(bands)) + 24))
    pcm = np.concatenate([babble(), np.zeros(2 * RATE, np.float32), babble()]) + noise(len(babble()) / RATE * 2 + 2, 0.001)
    start = len(babble()) + RATE * 2 // 5
    pcm[start : start + len(pink)] += pink / pink.std() * babble().std() * 0.7
    activity = heard(analyser, pcm).activity
    assert activity[start // 160 + 12 : start // 160 + 108].max() == 0
    assert activity[60 : len(babble()) // 160 - 60].min() > 0.9


def test_speech_in_a_hall_is_no_steady_noise() -> None:
    """A hall trembles as noise does, and is as loud in a pause as a held vowel would be."""
    pcm = np.concatenate([babble(20), np.zeros(2 * RATE, np.float32), babble(20)])
    in_hall = across_a_room(pcm, 2.5) + noise(len(pcm) / RATE, 0.0005)
    _, of_noise = held_sounds(log_mel(in_hall))
    assert not of_noise.any()


def test_a_crowd_behind_a_speaker_moves_no_mouth_in_a_pause(analyser: SpeechAnalyser) -> None:
    pcm = np.concatenate([babble(), np.zeros(2 * RATE, np.float32), babble()])
    for shift in (0.3, 1.1, 1.9):
        pcm += np.resize(np.roll(babble(), int(shift * RATE)), len(pcm)) * 0.04
    pause = len(babble()) // 160
    activity = heard(analyser, pcm).activity
    assert activity[pause + 20 : pause + 180].max() == 0
    assert activity[60 : pause - 60].min() > 0.9
    assert activity[pause + 260 : -60].min() > 0.9


def test_speech_beside_a_shout_is_no_background(analyser: SpeechAnalyser) -> None:
    pcm = 0.1 * babble(32)
    pcm[4 * RATE : 5 * RATE] *= 8
    activity = heard(analyser, pcm).activity
    assert activity[60:-60].min() > 0.9


@pytest.mark.parametrize(("quieter_db", "is_background"), [(16, False), (24, True)])
def test_quiet_sentences_beside_loud_ones_are_speech(quieter_db: float, is_background: bool) -> None:
    """Three seconds of words, between louder words of the same voice; much quieter ones are of a television or a passer-by."""
    assert (background_of_quieter(babble(32), slice(3, 6), quieter_db)[320:580] == is_background).all()


@pytest.mark.parametrize(("quieter_db", "is_background"), [(18, False), (25, True)])
def test_a_voice_far_behind_is_background_throughout_a_long_pause(quieter_db: float, is_background: bool) -> None:
    """Sixteen seconds of one voice between two louder ones; in the middle nothing in the 10 s around is louder."""
    assert (background_of_quieter(babble(124), slice(11, 27), quieter_db)[1125:2675] == is_background).all()


def background_of_quieter(pcm: Floats, seconds: slice, quieter_db: float) -> npt.NDArray[np.bool_]:
    """Which frames of words are background where those of some seconds are quieter."""
    words = pcm.copy()
    words *= np.arange(len(pcm)) / RATE % 0.75 > 0.15
    words[seconds.start * RATE : seconds.stop * RATE] *= 10 ** (-quieter_db / 20)
    mel = log_mel(words)
    return background_frames(mel, np.ones(len(mel), np.float32))


@pytest.mark.parametrize(("word", "moves"), [("mhm", False), ("hmm", False), ("mi", True)])
def test_lips_stay_shut_where_a_speaker_hums(analyser: SpeechAnalyser, word: str, moves: bool) -> None:
    silence = np.zeros(RATE // 2)
    said = {
        "mhm": np.concatenate([hum(0.22), np.zeros(RATE // 14), hum(0.3, 126)]),
        "hmm": hum(0.8),
        "mi": np.concatenate([hum(0.22), say([("I", 0.3)], 110)]),
    }[word]
    sound = np.concatenate([babble(), silence, said, silence])
    activity = heard(analyser, sound + noise(len(sound) / RATE, 3e-4)).activity
    first = (len(babble()) + len(silence)) // 160
    assert activity[40 : first - 90].min() > 0.9
    assert (activity[first : first + len(said) // 160].max() > 0.9) == moves
    assert moves or not activity[first - 20 :].any()


def test_birds_beside_a_speaker_move_no_mouth(analyser: SpeechAnalyser) -> None:
    times = seconds(3)
    pitch = 4000 + 1500 * np.sin(2 * np.pi * 8 * times)
    birds = np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.clip(np.sin(2 * np.pi * 4 * times), 0, 1)
    activity = heard(analyser, np.concatenate([0.1 * birds, babble()])).activity
    assert activity[:270].max() == 0
    assert activity[360:-60].min() > 0.9


@pytest.mark.parametrize("voice", VOICES)
def test_lips_meet_between_vowels(analyser: SpeechAnalyser, voice: str) -> None:
    track = heard(analyser, babble(12, *VOICES[voice])).curves[:, CLOSURE]
    met = [track[start - 4 : start + 12].max() for start in range(65, 40 + 12 * 25, 25)]
    assert np.mean(np.array(met) == 1) > (0.7 if voice == "man" else 0.5)


def test_each_speaker_is_heard_with_a_voice_of_their_own() -> None:
    one, other = log_mel(babble(60, 120, 1.1)), log_mel(babble(60, *VOICES["cartoon"]))
    both = np.concatenate([one, other])
    network = open_speech_network(WEIGHTS)
    told = hear(both, np.ones(len(both), bool), network).usual
    np.testing.assert_array_equal(told[:1000], normalise(both)[:1000])
    assert np.abs(told[-1000:] - normalise(both)[-1000:]).mean() > 0.1


def test_fast_speech_is_slowed_and_usual_speech_is_not() -> None:
    network = open_speech_network(WEIGHTS)

    def pace(normal: Floats) -> Floats:
        return pace_of(normal, network(normal, lambda: None), network)

    assert (pace(normalise(log_mel(babble(24)))) == 1).all()
    assert pace(normalise(log_mel(hurried(30)))).max() > 1.4
    assert len(pace(np.zeros((0, 40), np.float32))) == 0


def test_what_is_heard_slowed_lies_in_the_frames_of_the_sound() -> None:
    track = np.sin(np.arange(200) / 9)[:, None].astype(np.float32) * np.ones(40, np.float32)
    pace = np.interp(np.arange(200), [50, 150], [1, 1.5])
    for sound in (track, track[:1]):
        lengths: list[int] = []

        def hear(slowed: Floats, lengths: list[int] = lengths) -> Floats:
            lengths.append(len(slowed))
            return np.stack([slowed, 2 * slowed])

        answers = at_pace(pace[-len(sound) :], sound, hear)
        np.testing.assert_allclose(answers, np.stack([sound, 2 * sound]), atol=0.03)
    assert lengths == [1]
    assert at_pace(np.ones(200), track, lambda mel: mel) is track


def test_lips_meet_across_a_room(analyser: SpeechAnalyser) -> None:
    pcm = across_a_room(babble(24), 0.6)
    track = heard(analyser, pcm).posteriors[:, P]
    met = [track[start - 4 : start + 12].max() for start in range(65, 40 + 24 * 25, 25)]
    assert np.mean(np.array(met) > CLOSES) > 0.15


def test_lost_packets_are_not_heard_as_closures(analyser: SpeechAnalyser) -> None:
    pcm = babble(12)
    assert without_gaps(pcm) is pcm
    lost, vowels = pcm.copy(), range(79, 79 + 10 * 25, 25)
    for start in vowels:
        lost[start * 160 : start * 160 + 480] = 0
    met = closures(heard(analyser, lost).posteriors)
    assert len(met) > 5
    assert not any(abs((first + end) / 2 - start - 1) < 5 for first, end in met for start in vowels)


def test_quiet_before_a_burst_is_no_lost_packet() -> None:
    pcm = babble(12)
    for start in range(79, 79 + 10 * 25, 25):
        pcm[start * 160 : start * 160 + 800] *= np.interp(np.arange(800), [0, 320, 720, 721], [1, 0, 0, 1])
    assert without_gaps(pcm) is pcm


def test_a_room_is_told_by_how_sounds_end() -> None:
    assert room_share(log_mel(babble())) == 0
    assert room_share(log_mel(across_a_room(babble(), 0.6))) == 1
    assert room_share(log_mel(babble() + noise(len(babble()) / RATE, 0.02))) < 0.2
    assert room_share(log_mel(np.zeros(RATE))) == 0
    assert room_share(log_mel(np.zeros(RATE // 50))) == 0


def across_a_room(pcm: Floats, reverberation: float) -> Floats:
    """Heard where the room is 3 dB louder than the speaker; reverberation: s until it has fallen by 60 dB."""
    times = seconds(reverberation)
    room = np.random.default_rng(7).standard_normal(len(times)) * 10 ** (-3 * times / reverberation)
    room *= np.sqrt(2 / (room**2).sum())
    room[0] = 1
    return np.asarray(np.convolve(pcm, room)[: len(pcm)], np.float32)


def test_blocks_give_what_the_whole_file_gives(analyser: SpeechAnalyser, monkeypatch: pytest.MonkeyPatch) -> None:
    pcm = babble(20)
    whole = heard(analyser, pcm)
    monkeypatch.setattr(network_module, "_BLOCK", 37)
    np.testing.assert_allclose(heard(analyser, pcm).posteriors, whole.posteriors, atol=1e-5)


def test_long_sound_is_heard_as_its_parts_are(analyser: SpeechAnalyser) -> None:
    """Normalisation follows loudness: a speaker who is 20 dB quieter than the one before is heard as well."""
    part = babble()
    alone = heard(analyser, part).posteriors
    both = heard(analyser, np.concatenate([np.tile(part, 4), np.tile(part * 0.1, 4)])).posteriors
    agreement = (both[-len(alone) :].argmax(1) == alone.argmax(1)).mean()
    assert agreement > 0.7


@pytest.mark.parametrize("pcm", [np.zeros((2, 800), np.float32), np.full(800, np.nan, np.float32)])
def test_what_is_no_sound_is_refused(analyser: SpeechAnalyser, pcm: Floats) -> None:
    with pytest.raises(ValueError, match="expected"):
        analyser.analyse(pcm)


@pytest.mark.parametrize("calls", [1, 10, 11])
def test_work_stops_when_asked(analyser: SpeechAnalyser, calls: int) -> None:
    class GoneError(Exception):
        pass

    count = 0

    def stop() -> None:
        nonlocal count
        count += 1
        if count == calls:
            raise GoneError

    with pytest.raises(GoneError):
        analyser.analyse(babble(), True, stop)


def test_pocketsphinx_changes_speech_only(analyser: SpeechAnalyser) -> None:
    one, two = heard(analyser, syllables()), heard(analyser, syllables(), fuse=True)
    np.testing.assert_array_equal(one.activity, two.activity)
    np.testing.assert_array_equal(one.posteriors[-100:], two.posteriors[-100:])
    assert np.abs(one.posteriors - two.posteriors).max() > 0.25


def test_pocketsphinx_is_not_believed_in_noise(analyser: SpeechAnalyser) -> None:
    pcm = syllables()
    pcm[: -2 * RATE] += noise(len(pcm) / RATE - 2, 0.07)
    one, two = heard(analyser, pcm), heard(analyser, pcm, fuse=True)
    assert one.activity.max() == 1
    np.testing.assert_array_equal(one.posteriors, two.posteriors)


def syllables() -> Floats:
    """A woman's voice, which pocketsphinx and the network hear alike, and 2 s of silence."""
    plan = [("M", 0.08), ("A", 0.25), ("M", 0.08), ("I", 0.25), ("M", 0.08), ("U", 0.25)] * 4
    sound = say([("_", 0.4), *plan, ("_", 0.4)], 210, 1.1)
    return np.concatenate([sound, np.zeros(2 * RATE, np.float32)])


def test_parts_for_pocketsphinx_cover_the_file() -> None:
    level = np.random.default_rng(0).standard_normal(5000)
    parts = _parts(level)
    assert [start for start, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == 5000
    assert max(end - start for start, end in parts) <= 1200
    assert _parts(level[:7]) == [(0, 7)]


def test_pocketsphinx_names_a_class_for_every_frame() -> None:
    classes = open_allphone()(babble(), log_mel(babble()), lambda: None)
    assert (classes.sum(1) == 1).all()
    assert (classes[:20].argmax(1) == SIL).all()
    assert (classes[60:300].argmax(1) != SIL).mean() > 0.6


def test_pocketsphinx_forgets_what_it_heard_before() -> None:
    recognise = open_allphone()

    def classes(pcm: Floats) -> Floats:
        return recognise(pcm, log_mel(pcm), lambda: None)

    first = classes(babble())
    classes(say([("A", 0.6), ("M", 0.2)] * 4, pitch=210))
    assert (classes(babble()) == first).all()


def test_features_are_in_time() -> None:
    """A click at 500 ms lies in the window of frame 49 and 50 alike: they are centred at 495 and 505 ms."""
    pcm = np.zeros(RATE, np.float32)
    pcm[8000] = 1
    level = log_mel(pcm).mean(1)
    assert set(np.argsort(level)[-2:]) == {49, 50}
    assert level[49] == pytest.approx(level[50], abs=0.05)


def test_normalised_features_have_no_level() -> None:
    pcm = babble() + noise(3.8, 1e-3)
    np.testing.assert_allclose(normalise(log_mel(pcm)), normalise(log_mel(pcm * 0.25)), atol=0.01)


def test_the_middle_of_a_held_sound_does_not_count_in_the_mean() -> None:
    mel = log_mel(babble())
    held = np.repeat(mel[[60]], 500, 0)
    together, heard = np.concatenate([mel, held]), np.arange(len(mel) + len(held)) < len(mel)
    np.testing.assert_allclose(normalise(together, heard)[: len(mel)], normalise(mel), atol=0.05)
    assert np.abs(normalise(together)[: len(mel)] - normalise(mel)).max() > 0.2


def test_speech_beside_applause_is_heard_as_it_is_alone() -> None:
    network = open_speech_network(WEIGHTS)
    beside, alone = log_mel(beside_claps(1.0)), log_mel(beside_claps(0.0)[: -3 * RATE])
    all_of_it = np.ones(len(beside), bool)
    spoken = slice(40, len(babble()) // 160 - 40)

    def apart(left_out: npt.NDArray[np.bool_]) -> float:
        normal = normalise(beside, all_of_it, left_out)
        told = in_usual_voice(normal, all_of_it, network(normal, lambda: None), network)
        return float(np.abs(told[spoken] - normalise(alone)[spoken]).mean())

    assert apart(~all_of_it) > 0.2
    assert apart(hear(beside, all_of_it, network).beside) < 0.06


@pytest.mark.parametrize(("loudness", "counts"), [(1.0, False), (0.02, True)])
def test_only_what_is_as_loud_as_speech_is_left_out(loudness: float, counts: bool) -> None:
    mel = log_mel(beside_claps(loudness))
    left_out = hear(mel, np.ones(len(mel), bool), open_speech_network(WEIGHTS)).beside
    assert not left_out[: len(babble()) // 160].any()
    assert (left_out[-250:].mean() < 0.01) if counts else left_out[-250:].all()


def test_a_held_vowel_beside_speech_is_not_left_out() -> None:
    mel = log_mel(np.concatenate([babble(), say([("A", 2.0)], 120), babble()]))
    heard, _ = held_sounds(mel)
    assert not heard.all()
    assert not hear(mel, heard, open_speech_network(WEIGHTS)).beside.any()


def test_claps_that_sound_like_a_syllable_move_no_mouth() -> None:
    beside = np.repeat([False, True, False, True, False], 100)
    activity = np.concatenate([np.ones(130), np.zeros(70), np.ones(300)])
    np.testing.assert_array_equal(no_speech_after_all(beside, activity), np.repeat([False, True, False], [100, 100, 300]))


def beside_claps(loudness: float) -> Floats:
    """Nonsense speech, silence, and 3 s of applause."""
    claps = noise(3, 0.2) * (seconds(3) % 0.025 < 0.01)
    return np.asarray(np.concatenate([babble(), np.zeros(RATE // 2), loudness * claps]), np.float32)


def test_speech_in_loud_noise_is_no_held_sound() -> None:
    """Its bands vary as little as those of a vowel. Nothing in it is held, so all that is taken out is its own mean."""
    pcm = babble() + noise(len(babble()) / RATE, 0.3)
    mel = log_mel(pcm)
    own = mel[mel.mean(1) > np.percentile(mel.mean(1), 95) - 5].mean(0)
    np.testing.assert_allclose(normalise(mel, held_sounds(mel)[0]), np.clip((mel - own) / 3, -4, 3), atol=1e-5)


def posteriors_of(names: str) -> Floats:
    """One class for each frame: space-separated names with counts, `A*10 P*3`."""
    labels = [INDEX[name] for part in names.split() for name, _, count in [part.partition("*")] for _ in range(int(count))]
    return np.eye(len(CLASSES), dtype=np.float32)[labels]


def test_a_closure_is_held_for_a_frame_of_video() -> None:
    track = curves(posteriors_of("A*20 P*2 A*20"))
    assert (track[:, CLOSURE] == 1).sum() == 4
    assert (track[track[:, CLOSURE] == 1, JAW] == 0).all()
    assert track[10, CLOSURE] == 0
    assert (np.diff(track[10:21, CLOSURE]) >= 0).all()
    assert (np.diff(track[23:40, CLOSURE]) <= 0).all()


@pytest.mark.parametrize("names", ["P*5 A*10", "A*10 P*5", "P*3"])
def test_closures_reach_the_ends(names: str) -> None:
    assert curves(posteriors_of(names))[:, CLOSURE].max() == 1


def test_a_closure_begins_and_ends_at_two_thresholds() -> None:
    posteriors = posteriors_of("A*30")
    posteriors[5:20, P] = [0.3, 0.5, 0.3, 0.3, 0.6, 0.3, 0.1, 0.3, 0.3, 0, 0, 0, 0.9, 0, 0]
    assert closures(posteriors) == [(6, 11)]


def test_lips_come_near_where_a_closure_is_likely_and_press_only_where_it_is_told() -> None:
    posteriors = posteriors_of("A*90")
    for at, likely in ((20, 0.1), (45, 0.3), (70, 0.5)):
        posteriors[at : at + 4, P] = likely
    track = curves(posteriors)[:, CLOSURE]
    assert track[:30].max() == 0
    assert 0.3 < track[46] < 0.8
    assert track[71] == 1


def test_shapes_hold_where_a_sound_lasts() -> None:
    for name in ("A", "I", "U", "S"):
        track = curves(posteriors_of(f"{name}*80"))
        np.testing.assert_allclose(track[40], SHAPES[INDEX[name]], atol=1e-3)


def test_teeth_meet_the_lip_for_an_f() -> None:
    track = curves(posteriors_of("A*20 F*8 A*20"))
    assert track[24, LABIODENTAL] > 0.95
    assert track[24, JAW] < 0.2 < track[5, JAW]


def test_labels_lie_where_segments_do() -> None:
    from training.speech.phones import Segment, label_frames, parts_of_ipa

    labels = label_frames([Segment(0.1, 0.2, [("P", 1.0)]), Segment(0.2, 0.4, [("T", 0.4), ("S", 0.6)])], 50)
    names = [CLASSES[label] for label in labels]
    assert names == ["SIL"] * 10 + ["P"] * 10 + ["T"] * 8 + ["S"] * 12 + ["SIL"] * 10
    assert parts_of_ipa("tʃ") == [("T", 0.4), ("SH", 0.6)]
    assert parts_of_ipa("aɪ") == [("A", 0.55), ("I", 0.45)]  # noqa: RUF001
    assert parts_of_ipa("ː") == []  # noqa: RUF001


def test_the_judge_gives_full_marks_to_the_truth_and_few_to_noise() -> None:
    pytest.importorskip("scipy")
    from training.speech.evaluate import LabelledSound, figures

    true = posteriors_of("SIL*20 A*20 P*8 I*20 F*8 U*20 P*6 A*15 SIL*20")
    clip = LabelledSound("one", np.zeros(len(true) * 160, np.float32), true.argmax(1))
    best: Any = figures([clip], lambda _: true)
    assert best.accuracy == 1
    assert best.jaw == pytest.approx(1)
    assert best.bilabial == (1, 1, 2)
    assert best.labiodental == (1, 1, 1)
    worst: Any = figures([clip], lambda _: np.roll(true, 11, 0))
    assert worst.bilabial[1] == 0
    assert worst.accuracy < 0.7


def test_nonspeech_is_sound() -> None:
    from training.speech.nonspeech import nonspeech

    for seed in range(12):
        sound = nonspeech(RATE, np.random.default_rng(seed))
        assert sound.shape == (RATE,)
        assert np.isfinite(sound).all()
        assert np.sqrt((sound**2).mean()) == pytest.approx(1, abs=0.01)
