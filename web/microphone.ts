/** Records with the microphone. The recording is made a WAV file, which needs no guess about what the browser encodes. */
import { announce, button, make } from './dom.ts';
import { wavOf } from './wav.ts';

type Recording = { stop(): Promise<Blob> };

export const recordButton = (set: (file: Blob, name: string) => void): HTMLElement => {
  const told = make('p', { class: 'hint' });
  let recording: Recording | null = null;
  let clock = 0;

  const begin = async (): Promise<void> => {
    recording = await record();
    const started = Date.now();
    const tell = (): void => {
      told.textContent = `Recording: ${Math.floor((Date.now() - started) / 1000)} s. Speak now.`;
    };
    tell();
    clock = setInterval(tell, 250);
    toggle.textContent = 'Stop recording';
    announce('Recording. Speak now.');
  };

  const end = async (taken: Recording): Promise<void> => {
    recording = null;
    clearInterval(clock);
    toggle.textContent = 'Record';
    told.textContent = '';
    set(await wavOf(await taken.stop()), 'recording.wav');
  };

  const press = async (): Promise<void> => {
    try {
      await (recording ? end(recording) : begin());
    } catch (error) {
      told.textContent = `Nothing was recorded: ${reasonOf(error)}.`;
    }
  };

  const toggle = button('Record', press);
  // Browsers have it only on https pages and on this machine itself.
  if (!navigator.mediaDevices) toggle.hidden = true;
  return make('div', {}, toggle, told);
};

const record = async (): Promise<Recording> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  recorder.start();
  return {
    stop: () =>
      new Promise((resolve) => {
        recorder.addEventListener('stop', () => resolve(new Blob(parts)));
        recorder.stop();
        for (const track of stream.getTracks()) track.stop();
      }),
  };
};

const reasonOf = (error: unknown): string => {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError') return 'this page may not use the microphone';
  if (name === 'NotFoundError') return 'there is no microphone';
  if (name === 'EncodingError') return 'it was too short';
  return String(error);
};
