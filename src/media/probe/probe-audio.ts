import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { fileInput, ONE_FORM, probeInput } from '../ffmpeg.ts';
import type { AudioInfo } from '../info.ts';
import { endsWell, unreadable } from '../outcome.ts';
import { inTime, type Late } from './deadline.ts';
import { identifySound, unsupported } from './identify.ts';
import { checkSeconds } from './limits.ts';
import { checkWhole, listTracks, STRICTLY } from './listing.ts';
import type { Track } from './packets.ts';
import { readStreams } from './streams.ts';

const BYTES_PER_SAMPLE = 2;
/** So much more than the limit is decoded before a sound is told to be longer. */
const MARGIN_SECONDS = 1;

/**
 * What a sound file is, by reading its packets and then decoding them: a length beyond the limit is refused before any
 * decoding. Headers and packets that lie do not matter: the samples are counted, and no more than the limit. Damaged sound is concealed as players do it; when less than half can be
 * decoded it is refused. Throws unsupported_media_type (for pictures too, moving or not), no_audio_stream,
 * media_unreadable (for a sound that changes its rate or its channels too), media_too_long; and decode_failed, which is our own fault.
 */
export const probeAudio = async (
  path: string,
  ffmpeg: Config['ffmpeg'],
  limits: { readonly seconds: number },
  signal: AbortSignal,
  late?: Late,
): Promise<AudioInfo> => {
  const type = await identifySound(path);
  const { container } = type;
  const input = [...fileInput(path, container), '-map', '0:a:0'];
  // Only this container promises how much there is: the others are streams that begin anywhere and end anywhere.
  const whole = container === 'mov';
  return inTime(
    signal,
    async (either) => {
      const streams = await readStreams(probeInput(path, container), ffmpeg, either);
      if (streams.video !== null) throw unsupported(['audio'], `a video (${type.mime})`);
      const [sound] = streams.audio;
      if (!sound) throw new Failure('no_audio_stream');

      const copying = [...(whole ? [STRICTLY] : []), ...input, '-c', 'copy'];
      const copied = await listTracks(copying, {}, ffmpeg, either);
      const [packed] = copied.tracks;
      if (whole) checkWhole(copied.tracks, copied.ended);
      if (!packed || copied.ended?.exitCode !== 0) throw unreadable(copied.ended?.complaint ?? '');
      checkSeconds(lengthOf(packed), limits.seconds, 'sound');

      const most = { seconds: limits.seconds + MARGIN_SECONDS };
      const decoding = [...input, '-c:a', 'pcm_s16le'];
      const decoded = await listTracks([...ONE_FORM, ...decoding], most, ffmpeg, either);
      const [samples] = decoded.tracks;
      const changes = (samples?.packets ?? 0) > 0 && !endsWell(decoded.ended);
      const all = changes ? await listTracks(decoding, most, ffmpeg, either) : decoded;
      checkSeconds(all.tracks[0]?.seconds ?? 0, limits.seconds, 'sound');
      const complaint = decoded.ended?.complaint ?? '';
      if (changes) throw unreadable(`its sample rate or its channels change in it; ${complaint}`);
      const { codec } = sound;
      return { kind: 'audio' as const, container, codec, ...judge(packed, samples, complaint) };
    },
    late,
  ).catch((error: unknown) => {
    throw aboutSound(error);
  });
};

const judge = (packed: Track, decoded: Track | undefined, complaint: string) => {
  const durationSeconds = decoded?.seconds ?? 0;
  if (!decoded || durationSeconds === 0) throw unreadable(complaint || 'nothing is in it');
  if (durationSeconds * 2 < lengthOf(packed)) {
    const came = `${durationSeconds.toFixed(1)} of ${lengthOf(packed).toFixed(1)} s`;
    throw unreadable(`${came} could be; ${complaint}`);
  }
  const sampleRate = decoded.timeBase.den;
  const samples = Math.round(durationSeconds * sampleRate);
  const channels = Math.round(decoded.bytes / samples / BYTES_PER_SAMPLE);
  return { durationSeconds, sampleRate, channels };
};

const lengthOf = ({ start, end, packets }: Track): number => (packets > 0 ? end - start : 0);

/** Says which of a caller's files it was. */
const aboutSound = (error: unknown): unknown =>
  error instanceof Failure && ['media_unreadable', 'decode_failed'].includes(error.code)
    ? new Failure(error.code, { ...error.facts, what: 'sound' }, { cause: error })
    : error;
