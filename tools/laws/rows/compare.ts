import type { Column } from './describe.ts';
import type { RowProperty } from './program.ts';

/** What the driver makes of a value of each type; a type that is missing here is not read by any statement yet. */
const kindOfType: Readonly<Record<string, string>> = {
  ...{
    text: 'string',
    'character varying': 'string',
    uuid: 'string',
    inet: 'string',
    cidr: 'string',
    numeric: 'string',
  },
  ...{ xid: 'string', xid8: 'string', pg_lsn: 'string', regclass: 'string', '"char"': 'string', name: 'string' },
  ...{ smallint: 'number', integer: 'number', oid: 'number', real: 'number', 'double precision': 'number' },
  ...{ bigint: 'bigint', boolean: 'boolean', bytea: 'Buffer' },
  ...{ 'timestamp with time zone': 'Date', 'timestamp without time zone': 'Date', date: 'Date' },
  ...{ 'text[]': 'string[]', 'uuid[]': 'string[]', 'character varying[]': 'string[]', 'bigint[]': 'string[]' },
  ...{ 'integer[]': 'number[]', 'smallint[]': 'number[]', 'boolean[]': 'boolean[]', 'numeric[]': 'number[]' },
  ...{ 'double precision[]': 'number[]', 'timestamp with time zone[]': 'Date[]', 'bytea[]': 'Buffer[]' },
};
/** The shape of a document is checked by the code that writes it, not here. */
const documents = new Set(['json', 'jsonb', 'json[]', 'jsonb[]']);

const fits = (kind: string, type: string): boolean => {
  if (documents.has(type) || kind === 'unknown') return true;
  // `Buffer<ArrayBufferLike>[]` and `Uint8Array[]` are both a list of bytes to the driver.
  const plain = kind.replaceAll('<ArrayBufferLike>', '').replaceAll('Uint8Array', 'Buffer');
  return plain === kindOfType[type];
};

export interface Difference {
  readonly column: string;
  /** `absent`, `null`, or what the types are. */
  readonly problem: string;
}

/** Each column of which the row type says something else than the database does. A column that nobody reads is no lie. */
export function differences(row: readonly RowProperty[], columns: readonly Column[]): Difference[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return row.flatMap(({ name, kind, mayBeNull, isOptional }) => {
    const column = byName.get(name);
    if (!column) return isOptional ? [] : [{ column: name, problem: 'absent' }];
    if (!fits(kind, column.type)) {
      return [{ column: name, problem: `is ${kind} in the type and ${column.type} in the database` }];
    }
    return column.mayBeNull && !mayBeNull ? [{ column: name, problem: 'null' }] : [];
  });
}
