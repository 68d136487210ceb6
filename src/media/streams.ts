import type { AudioTrack } from './info.ts';

/** What ffmpeg prints about the streams of its first input. */
export type Streams = {
  /** Whether the file could be opened at all. */
  readonly opened: boolean;
  /** The codec of the first moving picture; cover art is none. null when there is no video. */
  readonly video: string | null;
  readonly audio: readonly AudioTrack[];
  /** Whether the demuxer said that the file ends before its content does. */
  readonly truncated: boolean;
};

/** Whether a line is one that `readStreams` looks for. */
export const tellsStreams = (line: string): boolean =>
  /(In|Out)put #0,|Stream mapping:|Stream #0:|ended prematurely|: partial file/.test(line);

/**
 * Reads lines such as "  Stream #0:1[0x2](und): Audio: aac (LC) (mp4a / 0x61), 44100 Hz, mono".
 * Sound of a codec that ffmpeg does not know ("Audio: none") is left out: nothing could be done with it.
 */
export const readStreams = (lines: readonly string[]): Streams => {
  const from = lines.findIndex((line) => line.includes('Input #0,'));
  const to = lines.findIndex((line) => /Output #0,|Stream mapping:/.test(line));
  const listed = from < 0 ? [] : lines.slice(from, to < 0 ? undefined : to);
  const found = listed.flatMap((line) => {
    const [, kind, codec] = /Stream #0:\d+\S*: (Video|Audio): (\w+)/.exec(line) ?? [];
    const [, rate = 0] = /, (\d+) Hz/.exec(line) ?? [];
    const mono = / Hz, (mono|1 channels)/.test(line);
    return kind && codec
      ? [{ kind, codec, cover: line.includes('(attached pic)'), sampleRate: Number(rate), mono }]
      : [];
  });
  return {
    opened: from >= 0,
    video: found.find(({ kind, cover }) => kind === 'Video' && !cover)?.codec ?? null,
    audio: found
      .filter(({ kind }) => kind === 'Audio')
      .map(({ codec, sampleRate, mono }, index) => ({ index, codec, sampleRate, mono }))
      .filter(({ codec }) => codec !== 'none'),
    truncated: lines.some((line) => /File ended prematurely|: partial file/.test(line)),
  };
};
