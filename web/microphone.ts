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
    toggle.disabled = true; // while the browser asks the user, a second click would open a second recording
    try {
      await (recording ? end(recording) : begin());
    } catch (error) {
      told.textContent = `Nothing was recorded: ${reasonOf(error)}.`;
    }
    toggle.disabled = false;
    toggle.focus();
  };

  const toggle = button('Record', press);
  if (!navigator.mediaDevices) {
    toggle.hidden = true;
    told.textContent =
      'There is no recording here: browsers give a page the microphone only over https, and on the machine of the service.';
  }
  return make('div', {}, toggle, told);
};

const record = async (): Promise<Recording> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  // It stops by itself when the microphone is taken away.
  const ended = new Promise<Blob>((resolve) => {
    recorder.addEventListener('stop', () => resolve(new Blob(parts)));
  });
  recorder.start();
  return {
    stop: () => {
      if (recorder.state !== 'inactive') recorder.stop();
      for (const track of stream.getTracks()) track.stop();
      return ended;
    },
  };
};

const reasonOf = (error: unknown): string => {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError') return 'this page may not use the microphone';
  if (name === 'NotFoundError') return 'there is no microphone';
  if (name === 'EncodingError') return 'it was too short';
  return String(error);
};
