/**
 * Imported by a reloader before anything else (`NODE_OPTIONS=--import=…`): waits of 20 s and more pass forty times
 * faster, but no faster than an answer comes on a busy machine, so that a test sees in seconds what minutes of silence lead
 * to. What the log says of them stays the same.
 */

const LONG_MS = 20_000;
const TIMES = 40;
const LEAST_MS = 2000;
const given = globalThis.setTimeout;

function hurried(callback: () => void, ms = 0, ...args: []): NodeJS.Timeout {
  return given(callback, ms >= LONG_MS ? Math.max(ms / TIMES, LEAST_MS) : ms, ...args);
}

globalThis.setTimeout = Object.assign(hurried, given);
