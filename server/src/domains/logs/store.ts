import type { LogLevel, LogStream } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';

export interface LineRow {
  readonly id: bigint;
  readonly at: Date;
  readonly stream: LogStream;
  readonly level: LogLevel;
  readonly line: string;
  readonly node_id: string;
  readonly node_name: string;
  readonly allocation_id: string | null;
  readonly task_id: string | null;
  readonly correlation_id: string | null;
}
/** An allocation, as far as its console goes. */
export interface MachineRow {
  readonly id: string;
  readonly state: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly simulated: boolean;
}
/** What is wanted of lines beyond the one thing that an index finds. */
export interface Wanted {
  readonly node_id?: string | undefined;
  readonly allocation_id?: string | undefined;
  readonly correlation_id?: string | undefined;
  readonly stream?: LogStream | undefined;
  readonly levels: readonly LogLevel[];
  readonly contains?: string | undefined;
}
/** Behind this line, in the order of pages: newest first. */
export interface Key {
  readonly at: Date;
  readonly id: bigint;
}
/** Lines that fit, and how far the statement looked. */
export interface Searched {
  readonly rows: readonly LineRow[];
  readonly looked: number;
  readonly edge: Key | undefined;
}

const columns = `l.id, l.at, l.stream, l.level, l.line, l.node_id, l.allocation_id, l.task_id, l.correlation_id`;
/** The values of `Wanted`, from $1 on. */
const fits = `($1::uuid is null or l.node_id = $1) and ($2::uuid is null or l.allocation_id = $2)
  and ($3::text is null or l.correlation_id = $3) and ($4::text is null or l.stream = $4)
  and (cardinality($5::text[]) = 0 or l.level = any ($5)) and ($6::text is null or strpos(lower(l.line), lower($6)) > 0)`;
const page = `l.at >= $7 and (l.at, l.id) < ($8::timestamptz, $9::bigint) order by l.at desc, l.id desc limit $10`;
/** How far the search went, and the lines that fit. A page ends where the search did. */
const answer = `edge as (
    select o.at, o.id, count(*) over () as looked from looked o order by o.at, o.id limit 1
  )
  select e.at as edge_at, e.id as edge_id, e.looked, h.*, n.name as node_name
  from edge e left join hits h on true left join nodes n on n.id = h.node_id
  order by h.at desc, h.id desc`;

const byNodeSql = sql(
  'logs-by-node',
  `with looked as materialized (
     select ${columns} from node_log_lines l where l.node_id = $1 and mine(l.organization_id) and ${page}
   ), hits as (select l.* from looked l where ${fits} order by l.at desc, l.id desc limit $11), ${answer}`,
);
const byAllocationSql = sql(
  'logs-by-allocation',
  `with looked as materialized (
     select ${columns} from node_log_lines l where l.allocation_id = $2 and mine(l.organization_id) and ${page}
   ), hits as (select l.* from looked l where ${fits} order by l.at desc, l.id desc limit $11), ${answer}`,
);
const byCorrelationSql = sql(
  'logs-by-correlation',
  `with looked as materialized (
     select ${columns} from node_log_lines l where l.correlation_id = $3 and mine(l.organization_id) and ${page}
   ), hits as (select l.* from looked l where ${fits} order by l.at desc, l.id desc limit $11), ${answer}`,
);
const byTimeSql = sql(
  'logs-by-time',
  `with looked as materialized (
     select ${columns} from node_log_lines l where mine(l.organization_id) and ${page}
   ), hits as (select l.* from looked l where ${fits} order by l.at desc, l.id desc limit $11), ${answer}`,
);
const betweenSql = sql(
  'logs-between',
  `select ${columns}, n.name as node_name from node_log_lines l join nodes n on n.id = l.node_id
   where l.id > $7::bigint and l.id <= $8::bigint and mine(l.organization_id) and ${fits}
   order by l.id limit $9`,
);
const lastSql = sql('logs-last', 'select node_logs_last() as id');
const machineSql = sql(
  'logs-machine',
  `select a.id, a.state, a.capacity_shape, coalesce(n.simulated, false) as simulated
   from allocations a left join nodes n on n.id = a.node_id where a.id = $1 and mine(a.organization_id)`,
);

const valuesOf = ({ node_id, allocation_id, correlation_id, stream, levels, contains }: Wanted) => [
  ...[node_id ?? null, allocation_id ?? null, correlation_id ?? null],
  ...[stream ?? null, levels, contains ?? null],
];
type Found = { readonly [K in keyof LineRow]: LineRow[K] | null } & {
  readonly edge_at: Date;
  readonly edge_id: bigint;
  readonly looked: bigint;
};
const isLine = (row: Found): row is Found & LineRow => row.id !== null;

/** Looks in the narrowest index that the caller named something for. */
export async function searchLines(
  tx: ReadTx,
  wanted: Wanted,
  range: { readonly since: Date; readonly before: Key },
  limits: { readonly looked: number; readonly rows: number },
): Promise<Searched> {
  const statement = wanted.correlation_id
    ? byCorrelationSql
    : wanted.allocation_id
      ? byAllocationSql
      : wanted.node_id
        ? byNodeSql
        : byTimeSql;
  const { at, id } = range.before;
  const rows = await tx.rows<Found>(statement, [
    ...[...valuesOf(wanted), range.since, at, id, limits.looked, limits.rows],
  ]);
  const [first] = rows;
  return {
    rows: rows.filter(isLine),
    looked: Number(first?.looked ?? 0),
    edge: first && { at: first.edge_at, id: first.edge_id },
  };
}
/** Lines that arrived behind one id and up to another, in the order of their arrival. */
export const linesBetween = (
  tx: ReadTx,
  wanted: Wanted,
  range: { readonly after: bigint; readonly to: bigint },
  limit: number,
): Promise<LineRow[]> => tx.rows<LineRow>(betweenSql, [...valuesOf(wanted), range.after, range.to, limit]);
/** The last line that arrived, of all tenants. */
export const lastLine = async (tx: ReadTx): Promise<bigint> => (await tx.rows<{ id: bigint }>(lastSql))[0]?.id ?? 0n;
export const findMachine = async (tx: ReadTx, id: string): Promise<MachineRow | undefined> =>
  (await tx.rows<MachineRow>(machineSql, [id]))[0];
