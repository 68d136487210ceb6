/**
 * Each Node process of a test run loads this first (NODE_OPTIONS in tests/run.ts): V8 optimizes a function after 15 times as
 * much work as it does by default, since such a process lives for seconds. Decision 147.
 */
require('node:v8').setFlagsFromString('--interrupt-budget=1000000');
