#!/usr/bin/env node
/** `enhance`, from any folder. */
import { compiled } from '../stack/compiled.mjs';

// `npm run enhance` starts this in the checkout; paths are meant from where its caller stands.
const { npm_lifecycle_event: script, INIT_CWD: stands } = process.env;
if (script === 'enhance' && stands) process.chdir(stands);
await import(await compiled('enhance'));
