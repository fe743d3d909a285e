import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { callName } from './names.ts';
import { useMay } from './session.tsx';

/** Names change seldom. */
const freshMs = 300_000;
/** As many as the API takes at once. */
const atOnce = 100;

/**
 * The names of people for operators, who see people of every organization. Undefined for programs, for people who were
 * erased, while the names load, and for roles that may not see people.
 */
export function usePeople(ids: readonly (string | undefined)[]): (id: string) => string | undefined {
  const wanted = [...new Set(ids.filter((id): id is string => id !== undefined && isId.test(id)))].sort();
  const names = useAsk(
    ['people', 'names', wanted],
    async (options) => {
      const chunks = Array.from({ length: Math.ceil(wanted.length / atOnce) }, (_, at) =>
        wanted.slice(at * atOnce, (at + 1) * atOnce),
      );
      const pages = await Promise.all(
        chunks.map((chunk) => api.adminUsers.list({ ids: chunk.join(','), limit: atOnce }, options)),
      );
      const people = pages.flatMap(({ data }) => data).filter(({ state }) => state !== 'erased');
      return new Map(people.map((person) => [person.id, callName(person)]));
    },
    { enabled: useMay()('user_list') && wanted.length > 0, freshMs, keep: true },
  );
  return (id) => names.data?.get(id);
}
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
