import type { Client, Connection, Submittable } from 'pg';

/** One column that a statement answers with, as PostgreSQL describes it before anything runs. */
export interface Column {
  readonly name: string;
  readonly type: string;
  /** True where the column is read straight from a table column that may be null. */
  readonly mayBeNull: boolean;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly tableID: number;
  readonly columnID: number;
}

/** Asks the server to parse a statement and to describe what it answers with; nothing is run. */
class Description implements Submittable {
  readonly #text: string;
  readonly #done = Promise.withResolvers<readonly Field[]>();
  #fields: readonly Field[] = [];

  constructor(text: string) {
    this.#text = text;
  }
  get fields(): Promise<readonly Field[]> {
    return this.#done.promise;
  }
  submit(connection: Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }
  handleRowDescription(message: { readonly fields: readonly Field[] }): void {
    this.#fields = message.fields;
  }
  handleError(error: Error): void {
    this.#done.reject(error);
  }
  handleReadyForQuery(): void {
    this.#done.resolve(this.#fields);
  }
}

export async function openDescriber(client: Client): Promise<(text: string) => Promise<Column[]>> {
  const { rows: types } = await client.query<{ oid: number; name: string }>(
    `select t.oid::int as oid, case
       when t.typtype = 'e' or t.typcategory = 'S' then 'text'
       when t.typtype = 'd' then format_type(t.typbasetype, null)
       when e.typtype = 'e' then 'enum[]' else format_type(t.oid, null) end as name
     from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'`,
  );
  const { rows: nullable } = await client.query<{ of: string }>(
    `select attrelid::int || '.' || attnum as of from pg_attribute where attnum > 0 and not attnotnull`,
  );
  const nameOf = new Map(types.map(({ oid, name }) => [oid, name]));
  const mayBeNull = new Set(nullable.map(({ of }) => of));
  return async (text) => {
    const fields = await client.query(new Description(text)).fields;
    return fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      ...{ name, type: nameOf.get(dataTypeID) ?? String(dataTypeID) },
      mayBeNull: mayBeNull.has(`${tableID}.${columnID}`),
    }));
  };
}
