/** 16-bit mono PCM: enough for speech, and read by everything. */
const RATE = 16_000;
const HEADER_BYTES = 44;

/** Any sound that the browser can decode, as a WAV file. */
export const wavOf = async (sound: Blob): Promise<Blob> => {
  const context = new OfflineAudioContext(1, 1, RATE);
  // Decoding brings it to the rate of the context.
  const decoded = await context.decodeAudioData(await sound.arrayBuffer());
  return wavFile(decoded.getChannelData(0));
};

/** samples: -1 to 1. */
const wavFile = (samples: Float32Array): Blob => {
  const bytes = new ArrayBuffer(HEADER_BYTES + 2 * samples.length);
  const view = new DataView(bytes);
  const write = (at: number, text: string) => {
    for (let i = 0; i < text.length; i += 1) view.setUint8(at + i, text.charCodeAt(i));
  };
  write(0, 'RIFF');
  view.setUint32(4, bytes.byteLength - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true); // bytes of what follows, up to "data"
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, RATE, true);
  view.setUint32(28, 2 * RATE, true); // bytes a second
  view.setUint16(32, 2, true); // bytes of a sample
  view.setUint16(34, 16, true); // bits of a sample
  write(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  for (const [i, sample] of samples.entries())
    view.setInt16(
      HEADER_BYTES + 2 * i,
      Math.round(32_767 * Math.max(-1, Math.min(1, sample))),
      true,
    );
  return new Blob([bytes], { type: 'audio/wav' });
};
