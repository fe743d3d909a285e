import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processes } from '../../../server/src/bin/processes.ts';
import { purposes } from '../../../server/src/kernel/secrets/keyring.ts';
import { repository, root } from '../../lib/tree.ts';

/** Pages that describe the processes are compared with the processes themselves, so that a new one is not left out. */
const architecture = repository().text('docs/architecture.md');
const threats = repository().text('docs/threat-model.md');

/** The cells of the rows of a table whose first cell links to a file below `folder`, by the words of the link. */
function rowsOf(page: string, folder: string): Map<string, string[]> {
  const rows = page.split('\n').filter((line) => line.startsWith('| [') && line.includes(`](../server/src/${folder}/`));
  return new Map(
    rows.map((line) => {
      const [first = '', ...cells] = line.slice(2, -2).split(' | ');
      return [/^\[([^\]]+)\]/.exec(first)?.[1] ?? '', cells];
    }),
  );
}
const words = (cell: string | undefined) => [...(cell ?? '').matchAll(/[a-z]+(?: [a-z]+)*/g)].map(([word]) => word);
const names = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([a-z_-]+)`/g)].map(([, name]) => name);

describe('architecture.md', () => {
  const rows = rowsOf(architecture, 'bin');

  it.each(processes)('names the ports and the database role of $spec.name', ({ spec, login }) => {
    const [, ports, role] = rows.get(spec.name) ?? [];
    expect(new Set(words(ports))).toEqual(new Set(spec.needs.length === 0 ? ['none'] : spec.needs));
    expect(names(role)[0]).toBe(login);
  });

  it('has a row for each port', () => {
    const ports = readdirSync(join(root, 'server/src/ports')).filter((name) =>
      repository().has(`server/src/ports/${name}/port.ts`),
    );
    const shown = [...rowsOf(architecture, 'ports').keys()].map((name) => name.replace(' ', '-'));
    expect(new Set(shown)).toEqual(new Set(ports));
  });

  it('names each purpose of sealing keys', () => {
    const [, listed] = /Each purpose \(([^)]*)\)/.exec(architecture) ?? [];
    expect(names(listed)).toEqual([...purposes]);
  });
});

describe('threat-model.md', () => {
  const rows = rowsOf(threats, 'bin');

  it.each(processes)('says which login and which sealing keys a thief of $spec.name gets', ({ spec, login, keys }) => {
    const [of, sealing, then] = rows.get(spec.name) ?? [];
    expect(names(of)[0]).toBe(login);
    if (keys === purposes) expect(sealing).toBe('all');
    else expect(names(sealing)).toEqual([...keys]);
    expect(then).toMatch(/\w+ \w+/);
  });
});
