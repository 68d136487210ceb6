/** The groups in which the document shows the operations, in this order. */
const tags = {
  Enhance: 'Enlarge pictures and videos, and synchronise lips. Each has an estimate of its price.',
  Uploads: 'Files sent ahead, for one or more later requests.',
  Jobs: 'Every enhancement is a job: how it stands, its events, its result, and its end.',
  Credits: 'The balance of the account, and every change of it.',
  Keys: 'The key of the request: whose it is, and what it may do.',
  Models: 'What can be chosen, with its options, limits and price.',
  Webhooks: 'Endpoints that are told of the events of jobs.',
  'Admin: accounts': 'Keys and credits of all accounts. For keys with the scope `admin`.',
  'Admin: models': 'Releases of models: add, try, promote. For keys with the scope `admin`.',
  'Admin: queue': 'What waits and runs, and where. For keys with the scope `admin`.',
  Service: 'The service itself: health, figures, this document, and what its errors mean.',
} as const;

export type Tag = keyof typeof tags;

/** As the document lists them: those that its operations have. */
export const tagList = (used: ReadonlySet<string | undefined>) =>
  Object.entries(tags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
