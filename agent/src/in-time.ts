/** A host that cannot say how it is within this time does not say it at all: heartbeats do not wait for it. */
const patienceMs = 5_000;

/** What was asked of a host for a heartbeat, or an error when it takes too long. */
export async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), patienceMs);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
