/** Files that are pasted anywhere on the page, dropped beside the drop areas, or several dropped at once. */
import { byId } from './dom.ts';

export const takePasted = (take: (files: readonly File[]) => void): void => {
  const takeAll = (files: FileList | undefined): void => {
    if (byId('playground').hidden) return; // the admin tab takes no files
    take([...(files ?? [])]);
  };
  document.addEventListener('paste', ({ clipboardData }) => takeAll(clipboardData?.files));
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    takeAll(event.dataTransfer?.files);
  });
};
