import { z } from 'zod';
import { rateOf } from '../../accounts/list-price.ts';
import { naming } from '../../errors.ts';
import { evened, within } from '../../frame.ts';
import { AudioInfo, MediaInfo } from '../../media/info.ts';
import { identifySound } from '../../media/probe/identify.ts';
import { checkFrames, checkOutputFrames, checkPixels } from '../../media/probe/limits.ts';
import { leftOutOfLipSync } from '../left-out.ts';
import { checkBytes, jobInput, pictureWarnings, readable, takeMedia } from '../media.ts';
import type { Identified, Intake, JobFiles, Prepared, Request } from '../operation.ts';
import { outputSpan, warningsOf } from './length.ts';
import { checkKind, checkLengths, checkOptions, checkSpeaker } from './options.ts';
import { lipsyncPrice } from './price.ts';
import type { LipsyncInput, LipsyncOptions, LipsyncRequest } from './request.ts';
import { cutSound } from './warnings.ts';

/** What probing finds: of the clip or portrait, and of what it is to say. */
export const LipsyncFound = z.object({ media: MediaInfo, audio: AudioInfo });
export type LipsyncFound = z.infer<typeof LipsyncFound>;

/** Takes clip and sound, and refuses what they cannot be by their content, and options that go with no such media. */
export const identifyLipsync = async (
  { body }: Request<LipsyncRequest>,
  intake: Intake,
): Promise<Identified<LipsyncOptions>> => {
  const { video_url: _, image_url: __, audio_url: ___, ...options } = body;
  checkOptions(options);
  const { limits } = intake.config;
  const { kind, media } = await takeMedia(['video', 'image'], intake);
  checkKind(options, kind);
  const sound = await intake.take(['audio'], limits.audio.bytes);
  const { kind: soundKind, mime } = await naming(sound.field, async () => {
    const type = await identifySound(await sound.file());
    checkBytes(sound.bytes, 'audio', limits);
    return type;
  });
  return {
    options,
    inputKind: kind,
    files: { media, audio: readable({ ...sound, mime }, soundKind, intake) },
  };
};

/** Probes both, and refuses whatever can be refused without looking for a face. */
export const prepareLipsync = async (
  { options, inputKind, files }: Identified<LipsyncOptions>,
  intake: Intake,
): Promise<Prepared<LipsyncInput, LipsyncFound>> => {
  const { limits, prices } = intake.config;
  const media = await probeClip(files, inputKind, intake);
  const clip = clipOf(media);
  checkSpeaker(options.speaker, clip);
  const { sound, heard } = await probeSound(files, intake);
  checkLengths(options, clip, sound.info.durationSeconds);
  const input = { ...jobInput(files.media, media), own_sound: clip.hasAudio, audio: sound.told };
  const result = outputSpan(input, options);
  checkOutputFrames(result.frames, limits.lipsync);
  return {
    input,
    found: { media, audio: sound.info },
    price: lipsyncPrice(options.model, rateOf(prices, 'lipsync', options.model), result),
    outputSize: evened(media.kind === 'image' ? within(media.size, limits.lipsync) : media.size),
    durationSeconds: result.seconds,
    warnings: [
      ...warningsOf(input, options),
      ...cutSound(sound.info),
      ...pictureWarnings(media),
      ...leftOutOfLipSync(media),
    ],
    made: { heard },
  };
};

type Probed = z.infer<typeof MediaInfo>;

const probeClip = async (
  { media }: JobFiles,
  kind: Probed['kind'],
  { config, probeMedia }: Intake,
): Promise<Probed> => {
  const { image, lipsync } = config.limits;
  const info = await probeMedia(media, kind, lipsync);
  // A larger portrait than a video may be is made smaller.
  await naming(media.field, async () => {
    if (info.kind === 'image') checkPixels(info.size, image.pixels);
    else checkFrames(info.frames, lipsync);
  });
  return info;
};

/** A portrait is a clip of one frame. */
const clipOf = (info: Probed) =>
  info.kind === 'video'
    ? { ...info, seconds: info.durationSeconds }
    : { ...info, seconds: 0, fps: 0, frames: 1, hasAudio: false };

/** `heard`: the file of the samples as the models hear them, written while they were counted. */
const probeSound = async ({ audio }: JobFiles, { config, look, place, admit }: Intake) => {
  if (!audio) throw new Error('expected the sound, which identifyLipsync has taken');
  const heard = await place('heard');
  const { ffmpeg } = config.probing;
  const limits = config.limits.audio;
  const path = await audio.file();
  const probe = () =>
    look(({ probeAudio }, signal) =>
      probeAudio({ path, ffmpeg, limits, signal, heardPath: heard, admit }),
    );
  const info = await naming(audio.field, probe);
  const told = {
    bytes: audio.bytes,
    sha256: audio.sha256,
    content_type: audio.mime,
    duration_seconds: info.durationSeconds,
    sample_rate: info.sampleRate,
    channels: info.channels,
  };
  return { sound: { info, told }, heard };
};
