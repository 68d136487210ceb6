import type { Config } from '../config.ts';
import { Failure } from '../errors.ts';
import { inTime } from './deadline.ts';
import { fileInput } from './ffmpeg.ts';
import { identifySound, unsupported } from './identify.ts';
import type { AudioInfo } from './info.ts';
import { checkSeconds } from './limits.ts';
import { CUT_OFF, isCutOff, listTracks } from './listing.ts';
import type { Track } from './packets.ts';

const BYTES_PER_SAMPLE = 2;

/**
 * What a sound file is, by reading its packets and then decoding them: a length beyond the limit is refused before any
 * decoding, and headers that lie do not matter. Damaged sound is concealed as players do it; when less than half can be
 * decoded it is refused. Throws unsupported_media_type (for pictures too, moving or not), no_audio_stream,
 * media_unreadable, media_too_long.
 */
export const probeAudio = async (
  path: string,
  ffmpeg: Config['ffmpeg'],
  limits: { readonly seconds: number },
  signal: AbortSignal,
): Promise<AudioInfo> => {
  const type = await identifySound(path);
  const input = [...fileInput(path, type.container), '-map', '0:a:0?'];
  return inTime(signal, async (either) => {
    const { tracks, streams, ended } = await listTracks([...input, '-c', 'copy'], ffmpeg, either);
    if (streams.video !== null) throw unsupported(['audio'], `a video (${type.mime})`);
    const [sound] = streams.audio;
    if (streams.opened && !sound) throw new Failure('no_audio_stream');
    const [packed] = tracks;
    if (!sound || !packed || ended.exitCode !== 0) throw unreadable(ended.complaint);
    // Only this container promises how much there is: the others are streams that begin anywhere and end anywhere.
    if (type.container === 'mov' && isCutOff(tracks, streams)) throw unreadable(CUT_OFF);
    checkSeconds(lengthOf(packed), limits.seconds, 'sound');

    const decoding = [...input, '-af', 'asetpts=N/SR/TB', '-c:a', 'pcm_s16le'];
    const decoded = await listTracks(decoding, ffmpeg, either);
    return {
      kind: 'audio',
      container: type.container,
      codec: sound.codec,
      ...judge(packed, decoded.tracks[0], decoded.ended.complaint),
    };
  });
};

const judge = (packed: Track, decoded: Track | undefined, complaint: string) => {
  const durationSeconds = decoded ? lengthOf(decoded) : 0;
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

const unreadable = (reason: string): Failure =>
  new Failure('media_unreadable', { what: 'sound', reason: reason || 'ffmpeg gave no reason' });
