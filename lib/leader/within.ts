/** Waiting with a deadline that holds even if the awaited work ignores its signal. */

/**
 * Resolves with the result of `work`, or with undefined after `ms` or when `end` is aborted; then the signal of `work` is aborted
 * too, and a later result is dropped. Rejects if `work` rejects before that.
 */
export async function within<T>(
  ms: number,
  end: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (end?.aborted) return undefined;
  const late = new AbortController();
  const stop = (): void => late.abort();
  const timer = setTimeout(stop, ms);
  end?.addEventListener('abort', stop, { once: true });
  const stopped = new Promise<undefined>((resolve) => {
    late.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([work(late.signal), stopped]);
  } finally {
    clearTimeout(timer);
    end?.removeEventListener('abort', stop);
  }
}
