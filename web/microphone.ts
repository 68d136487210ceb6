/** Records with the microphone. The recording is made a WAV file, which needs no guess about what the browser encodes. */
import { announce, button, make } from './dom.ts';
import { wavOf } from './wav.ts';

export const recordButton = (set: (file: Blob, name: string) => void): HTMLElement => {
  const told = make('p', { class: 'hint', role: 'status' });
  let recorder: MediaRecorder | null = null;
  const press = async (): Promise<void> => {
    if (recorder) {
      recorder.stop();
      return;
    }
    try {
      recorder = await record((recording) => set(recording, 'recording.wav'));
      recorder.addEventListener('stop', () => {
        recorder = null;
        toggle.textContent = 'Record';
        told.textContent = '';
      });
      toggle.textContent = 'Stop recording';
      told.textContent = 'Recording. Speak now.';
    } catch (error) {
      const why =
        error instanceof DOMException && error.name === 'NotAllowedError'
          ? 'this page may not use it'
          : String(error);
      told.textContent = `The microphone could not be used: ${why}.`;
    }
  };
  const toggle = button('Record', press);
  // Browsers have it only on https pages and on this machine itself.
  if (!navigator.mediaDevices) toggle.hidden = true;
  return make('div', {}, toggle, told);
};

const record = async (done: (recording: Blob) => void): Promise<MediaRecorder> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  recorder.addEventListener('stop', async () => {
    for (const track of stream.getTracks()) track.stop();
    done(await wavOf(new Blob(parts)));
    announce('The recording is taken.');
  });
  recorder.start();
  return recorder;
};
