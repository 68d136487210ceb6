/** What an attempt and an operation exchange about chunks: parts of a long video that several workers may do. */

/** Called with the number of frames that are done. */
export type OnFrames = (framesDone: number) => void;

export type ChunkWork = {
  /** The numbers of the chunks that no attempt has done yet, in ascending order. */
  readonly missing: readonly number[];
  /** Does one of them here. Its checkpoint is written when this resolves. */
  make(chunk: number, onFrames: OnFrames): Promise<void>;
  /** Called with the frames of all missing chunks together that are done, by whichever worker. */
  readonly onFrames: OnFrames;
};

/** Resolves when all missing chunks are done: here, or by workers that had nothing else to do. */
export type Share = (work: ChunkWork) => Promise<void>;

/** Does them all here, one after the other. */
export const alone: Share = async ({ missing, make, onFrames }) => {
  let before = 0;
  for (const chunk of missing) {
    let done = 0;
    await make(chunk, (frames) => {
      done = frames;
      onFrames(before + done);
    });
    before += done;
  }
};
