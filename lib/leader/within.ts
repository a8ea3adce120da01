/** Waiting that ends in time, whatever the one does that is waited for. */

/**
 * What `work` resolves with, or undefined after `ms` or when `end` is aborted: then its signal is aborted too, and an answer
 * that comes later is dropped. Rejects if `work` does before that.
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
