/** A file that the work began with. */
type Ingredient = {
  /** The role of the job's input, such as "media". */
  readonly role: string;
  readonly title: string;
  /** `parentOf`: the result is a changed copy of it. `componentOf`: it went into the result. */
  readonly relationship: 'parentOf' | 'componentOf';
};

/** What an operation did to which files, as the content credentials of its result tell it. */
export type Edit = {
  readonly description: string;
  /** https://cv.iptc.org/newscodes/digitalsourcetype: real media in which a trained model changed a part. */
  readonly sourceType: 'compositeWithTrainedAlgorithmicMedia';
  readonly ingredients: readonly [Ingredient, ...Ingredient[]];
};
