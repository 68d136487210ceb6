import { rename, rm } from 'node:fs/promises';
import { Failure } from '../../errors.ts';
import { type Admit, writeAll } from '../../storage/write-all.ts';
import { ALONE, type Alone, aloneOf, clearerOf, hearsAlone } from '../alone.ts';
import { isSurround, remapping } from '../channels.ts';
import { withDeadline } from '../deadline.ts';
import { type FfmpegOptions, FIXED_SOUND_FORMAT, fileInput, probeInput } from '../ffmpeg.ts';
import { heardOutput, readHeard, WHOLE_SOUND } from '../heard.ts';
import type { AudioInfo, Container } from '../info.ts';
import { readToEnd, undecodable, unreadable } from '../outcome.ts';
import { identifySound } from './identify.ts';
import { checkSeconds } from './limits.ts';
import { checkWhole, listPackets, STRICT } from './listing.ts';
import type { PacketSummary } from './packets.ts';
import { missedLength } from './stated-sound.ts';
import { readStreams } from './streams.ts';

const BYTES_PER_SAMPLE = 2;
/** Decoded beyond the limit, so that the answer can say how much longer a sound is. */
const MARGIN_SECONDS = 1;

export type AudioProbe = FfmpegOptions & {
  readonly path: string;
  readonly limits: { readonly seconds: number };
  /** Where the sound is written as the models hear it, for `readHeard`. After a failure there is no file. */
  readonly heardPath?: string | undefined;
  /** Asked before each piece of that file is written. */
  readonly admit?: Admit | undefined;
};

/**
 * What a sound file, or the first sound track of a video, is: its packets are read, then all of it is decoded once. A length beyond the limit, as the packets
 * state it, is refused before any decoding. The samples are counted, up to the limit, whatever headers and packets state.
 * Damage is concealed as players do it; when less than half can be decoded, the file is refused. `statedSeconds` tells of an end that is missing.
 *
 * Throws unsupported_media_type (also for images), no_audio_stream, media_too_long, media_unreadable (also for
 * a sound that changes its sample rate or channels); decode_failed, storage_full and storage_failed are this service's faults.
 */
export const probeAudio = async (probe: AudioProbe): Promise<AudioInfo> => {
  try {
    return await withDeadline(probe.signal, (signal) => measure({ ...probe, signal }));
  } catch (error) {
    if (probe.heardPath) await rm(probe.heardPath, { force: true });
    throw aboutSound(error);
  }
};

const measure = async (probe: AudioProbe): Promise<AudioInfo> => {
  const { container } = await identifySound(probe.path);
  const header = await readStreams(probeInput(probe.path, container), probe);
  const [track] = header.audio;
  if (!track) throw new Failure('no_audio_stream');

  const copied = await copySound(probe, container);
  const { codec, remap } = track;
  const first = remapping(track);
  const { decoded, errorText } = await decodeSound(probe, container, first + WHOLE_SOUND);
  const info = { container, codec, ...checkDecodable(copied, decoded, errorText) };
  const found = { container, header, decoded: info.durationSeconds };
  const statedSeconds = await missedLength(probe.path, found);
  const surround = track.surround ?? isSurround(info.channels, codec);
  const one = aloneOf({ mono: info.channels === 1, surround });
  const heardOf = { probe, container, first, channels: info.channels };
  const alone = one && (await hearAlone(one, heardOf));
  return {
    kind: 'audio',
    ...info,
    ...(statedSeconds !== null && { statedSeconds }),
    ...(remap && { remap }),
    ...(alone && { alone }),
  };
};

type HeardOf = {
  readonly probe: AudioProbe;
  readonly container: Container;
  /** The filter that all need. */
  readonly first: string;
  readonly channels: number;
};

/** The channel that is heard in place of all, which then is what the file holds; null where all are heard. */
const hearAlone = async (one: 'left' | 'centre', heardOf: HeardOf): Promise<Alone | null> => {
  const { probe, container, first, channels } = heardOf;
  const { heardPath } = probe;
  if (heardPath === undefined) return null;
  const pathOf = (alone: Alone) => `${heardPath}.${alone}`;
  const hear = async (alone: Alone) => {
    const filters = first + ALONE[alone] + WHOLE_SOUND;
    await decodeSound({ ...probe, heardPath: pathOf(alone) }, container, filters);
    return readHeard(pathOf(alone));
  };
  try {
    const [channel, mix] = [await hear(one), await readHeard(heardPath)];
    let alone: Alone | null = hearsAlone(one, channel, mix) ? one : null;
    if (channels === 2) alone ??= await clearerOf(channel, mix, () => hear('right'));
    if (alone) await rename(pathOf(alone), heardPath);
    return alone;
  } finally {
    for (const alone of [one, 'right'] as const) await rm(pathOf(alone), { force: true });
  }
};

const soundInput = ({ path }: AudioProbe, container: Container): string[] => [
  ...[...fileInput(path, container), '-map', '0:a:0'],
];

/** The packets as they are in the file. */
const copySound = async (probe: AudioProbe, container: Container): Promise<PacketSummary> => {
  // Only an MP4 or MOV states how much there is of it: the others are streams that may begin and end anywhere.
  const strict = container === 'mov';
  const args = [...(strict ? [STRICT] : []), ...soundInput(probe, container), '-c', 'copy'];
  const { streams, exit } = await listPackets(args, probe);
  const [packets] = streams;
  if (strict) checkWhole(streams, exit);
  if (!packets || exit?.exitCode !== 0)
    throw unreadable(undecodable(exit?.errorText ?? '', 'its samples'));
  checkSeconds(lengthOf(packets), probe.limits.seconds, 'sound');
  return packets;
};

/** The samples, one decoder for counting and hearing them. */
const decodeSound = async (probe: AudioProbe, container: Container, filters: string) => {
  const args = [...soundInput(probe, container), '-c:a', 'pcm_s16le'];
  const limit = { seconds: probe.limits.seconds + MARGIN_SECONDS };
  const options = { ffmpeg: probe.ffmpeg, signal: probe.signal, limit };
  const second = secondOutput(probe, filters);
  const { streams, exit } = await listPackets([...FIXED_SOUND_FORMAT, ...args], {
    ...options,
    second,
  });
  const [decoded] = streams;
  const changes = (decoded?.packets ?? 0) > 0 && !readToEnd(exit);
  // One that changes may be too long as well, which is the fault to state first.
  const whole = changes ? (await listPackets(args, options)).streams[0] : decoded;
  checkSeconds(whole?.seconds ?? 0, probe.limits.seconds, 'sound');
  const errorText = exit?.errorText ?? '';
  if (changes)
    throw unreadable(
      `its sample rate or number of channels changes within the file${errorText && ` (ffmpeg says: ${errorText})`}`,
    );
  return { decoded, errorText };
};

/** Written here and not by ffmpeg, so that a full disk is known as one. */
const secondOutput = ({ heardPath, admit }: AudioProbe, filters: string) =>
  heardPath === undefined
    ? undefined
    : {
        args: ['-map', '0:a:0', '-af', filters, ...heardOutput(3)],
        read: (stream: AsyncIterable<Buffer>) =>
          writeAll(heardPath, stream, { ...(admit && { admit }) }),
      };

const checkDecodable = (
  copied: PacketSummary,
  decoded: PacketSummary | undefined,
  errorText: string,
) => {
  const durationSeconds = decoded?.seconds ?? 0;
  if (!decoded || durationSeconds === 0)
    throw unreadable(errorText ? undecodable(errorText, 'its samples') : 'it has no samples');
  if (durationSeconds * 2 < lengthOf(copied)) {
    const part = `${durationSeconds.toFixed(1)} of ${lengthOf(copied).toFixed(1)} s`;
    throw unreadable(
      `only ${part} could be decoded; ${undecodable(errorText, 'its other samples')}`,
    );
  }
  const sampleRate = decoded.timeBase.den;
  const samples = Math.round(durationSeconds * sampleRate);
  const channels = Math.round(decoded.bytes / samples / BYTES_PER_SAMPLE);
  return { durationSeconds, sampleRate, channels };
};

const lengthOf = ({ start, end, packets }: PacketSummary): number =>
  packets > 0 ? end - start : 0;

/** States that it was the sound, of the two files of a request. */
const aboutSound = (error: unknown): unknown =>
  error instanceof Failure && ['media_unreadable', 'decode_failed'].includes(error.code)
    ? new Failure(error.code, { ...error.facts, what: 'sound' }, { cause: error })
    : error;
