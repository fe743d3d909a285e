import type { StorageAddress } from '@gpuaas/sdk';

/** The bytes at an address, all or the first ones. No cookie goes along: the address is the right. */
export async function fetchBytes(address: StorageAddress, first?: number): Promise<ArrayBuffer> {
  const range = first !== undefined && first < address.size_bytes ? { range: `bytes=0-${first - 1}` } : {};
  const answer = await fetch(address.url, { headers: { ...address.headers, ...range }, credentials: 'omit' });
  if (!answer.ok) throw new Error(`The store answered ${answer.status}. Try again.`);
  return answer.arrayBuffer();
}

/** A request by XMLHttpRequest, because only that says how much was sent. Answers 0 where there was no answer. */
export function sendBytes(
  { url, headers }: StorageAddress,
  bytes: ArrayBuffer,
  signal: AbortSignal,
  sent: (bytes: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const end = () => signal.removeEventListener('abort', stop);
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      // The browser counts the bytes itself and refuses a length.
      if (name !== 'content-length') request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onload = () => {
      end();
      resolve(request.status);
    };
    request.onerror = () => {
      end();
      resolve(0);
    };
    request.onabort = () => {
      end();
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', stop);
    request.send(bytes);
  });
}
