import type { Cache } from '../../../ports/cache/port.ts';
import { peopleInOneWake } from '../facts.ts';

/** Where browsers are woken. A message names people and nothing else: what is new is read from the table. */
export const wakesChannel = 'gpuaas.notifications';

export async function wakePeople(cache: Pick<Cache, 'publish'>, people: readonly string[]): Promise<void> {
  for (let at = 0; at < people.length; at += peopleInOneWake) {
    await cache.publish(wakesChannel, people.slice(at, at + peopleInOneWake).join(','));
  }
}
