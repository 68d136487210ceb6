#!/usr/bin/env node
/** `enhance`, from any folder. */
import { register } from 'tsx/esm/api';

// `npm run enhance` starts this in the checkout; paths are meant from where its caller stands.
const { npm_lifecycle_event: script, INIT_CWD: stands } = process.env;
if (script === 'enhance' && stands) process.chdir(stands);
register();
await import('./enhance.ts');
