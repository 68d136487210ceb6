/** Gives openapi-typescript the TypeScript that it is made for: version 7, which the project has, has no API for scripts. */
import { register } from 'node:module';

const hook = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
