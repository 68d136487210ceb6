export * from './client.ts';
export type * from './contract.ts';
export { EnhanceError, NoAnswerError } from './errors.ts';
export { isOver } from './follow.ts';
