/** The heap of a Node process, by its inspector. */

/** The collection is over when it is answered, not when the next call is. */
const CALLS = ['HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'] as const;

/** Collects garbage in the process of the inspector at `url`; resolves with the bytes that objects still take. */
export async function heapAfterCollection(url: string): Promise<number> {
  const socket = new WebSocket(url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const call = (id: number): void => socket.send(JSON.stringify({ id, method: CALLS[id] }));
  socket.onopen = () => call(0);
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    if (id === 0) call(1);
    if (id === 1) resolve(result.usedSize);
  };
  socket.onclose = () => reject(new Error(`the inspector at ${url} closed`));
  return await promise.finally(() => socket.close());
}
