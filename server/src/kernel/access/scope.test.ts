import { describe, expect, it } from 'vitest';
import { silentLog } from '../telemetry/log.ts';
import { makeScope } from './scope.ts';

const never = new Promise<void>(() => undefined);

describe('a scope', () => {
  it('closes what it keeps in the reverse order, one after the other', async () => {
    const scope = makeScope(silentLog);
    const seen: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      const kept = scope.keep(name, {
        close: async () => {
          seen.push(`${name} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          seen.push(`${name} ends`);
        },
      });
      expect(kept.close).toBeTypeOf('function');
    }
    expect(await scope.close(1_000)).toEqual([]);
    expect(seen).toEqual(['third', 'second', 'first'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('names what hangs, and closes the others all the same', async () => {
    const scope = makeScope(silentLog);
    const closed: string[] = [];
    scope.keep('before', { close: () => void closed.push('before') });
    scope.keep('hangs', { close: () => never });
    scope.keep('after', { close: () => void closed.push('after') });
    expect(await scope.close(60)).toEqual(['hangs']);
    expect(closed).toEqual(['after', 'before']);
  });

  it('goes on when something fails to close, at once or later', async () => {
    const scope = makeScope(silentLog);
    const closed: string[] = [];
    scope.keep('first', { close: () => void closed.push('first') });
    scope.keep('rejects', { close: () => Promise.reject(new Error('no')) });
    scope.keep('throws', {
      close: () => {
        throw new Error('no');
      },
    });
    expect(await scope.close(1_000)).toEqual([]);
    expect(closed).toEqual(['first']);
  });

  it('tells everybody that it is stopping before it closes anything', async () => {
    const scope = makeScope(silentLog);
    let told = false;
    scope.keep('a part', {
      close: () => {
        told = scope.stopping.aborted;
      },
    });
    expect(scope.stopping.aborted).toBe(false);
    await scope.close(1_000);
    expect(told).toBe(true);
  });

  it('closes once, however often it is asked: the second caller waits for the first', async () => {
    const scope = makeScope(silentLog);
    const gate = Promise.withResolvers<void>();
    let closings = 0;
    scope.keep('a part', {
      close: () => {
        closings += 1;
        return gate.promise;
      },
    });
    const first = scope.close(5_000);
    let secondDone = false;
    const second = scope.close(5_000).then((late) => {
      secondDone = true;
      return late;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(secondDone).toBe(false);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual([[], []]);
    expect(closings).toBe(1);
  });

  it('closes what a start that is still under way adds meanwhile', async () => {
    const scope = makeScope(silentLog);
    const closed: string[] = [];
    scope.keep('early', {
      close: async () => {
        closed.push('early');
        scope.keep('late', { close: () => void closed.push('late') });
      },
    });
    await scope.close(1_000);
    expect(closed).toEqual(['early', 'late']);
  });

  it('holds the checks that show whether work can be done', async () => {
    const scope = makeScope(silentLog);
    scope.ready('database', async () => undefined);
    expect(scope.checks.map(({ name }) => name)).toEqual(['database']);
  });
});
