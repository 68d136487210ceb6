/** Files that are pasted anywhere on the page, or dropped beside the drop areas. */
import { byId } from './dom.ts';
import type { Take } from './drop-area.ts';

export const takePasted = (take: Take): void => {
  const takeAll = (files: FileList | undefined): void => {
    if (byId('playground').hidden) return; // the admin tab takes no files
    for (const file of files ?? []) take(file, file.name);
  };
  document.addEventListener('paste', ({ clipboardData }) => takeAll(clipboardData?.files));
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    takeAll(event.dataTransfer?.files);
  });
};
