import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { Pool } from 'pg';

/**
 * A workflow library on the same database, through its documented interface and with nothing around it: a workflow of as
 * many durable steps as it takes to make an allocation active, each with one write of its own, and one message that it
 * waits for and that comes at once. There is no HTTP, no outbox, no bus, no audit, no placement, no signature and no host.
 */
export interface ChainOrder {
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
}
export interface ChainResult {
  readonly doneMs: readonly number[];
  readonly perSecond: number;
}

const topic = 'answer';
const waitSeconds = 60;

export function makeChain(): (order: ChainOrder) => Promise<ChainResult> {
  let pool: Pool | undefined;
  let client: DBOSClient | undefined;
  const step = (name: string, id: string, then: () => void = () => undefined) =>
    DBOS.runStep(
      async () => {
        await pool?.query('insert into chain_steps (run, step) values ($1, $2)', [id, name]);
        then();
      },
      { name },
    );
  /** The worker answers as soon as it is asked. */
  const answer = (id: string) => void client?.send(id, 'done', topic, `${id} answer`);
  const chain = DBOS.registerWorkflow(
    async (id: string) => {
      await step('begin', id);
      await step('ask', id, () => answer(id));
      await DBOS.recv(topic, waitSeconds);
      await step('judge', id);
      await step('activate', id);
    },
    { name: 'chain' },
  );
  const open = async (url: string) => {
    pool = new Pool({ connectionString: url, max: 16 });
    await pool.query('create table if not exists chain_steps (run text, step text, primary key (run, step))');
    DBOS.setConfig({ name: 'chain', systemDatabaseUrl: url, systemDatabaseSchemaName: 'chain', logLevel: 'error' });
    await DBOS.launch();
    client = await DBOSClient.create({ systemDatabaseUrl: url, systemDatabaseSchemaName: 'chain' });
  };
  return async (order) => {
    if (!pool) await open(order.url);
    const doneMs: number[] = [];
    const measureFrom = performance.now() + order.warmupSeconds * 1_000;
    const endAt = measureFrom + order.seconds * 1_000;
    await Promise.all(
      Array.from({ length: order.clients }, async () => {
        while (performance.now() < endAt) {
          const workflowID = crypto.randomUUID();
          const beganAt = performance.now();
          const handle = await DBOS.startWorkflow(chain, { workflowID })(workflowID);
          await handle.getResult();
          const endedAt = performance.now();
          if (beganAt >= measureFrom && endedAt <= endAt) doneMs.push(endedAt - beganAt);
        }
      }),
    );
    return { doneMs, perSecond: doneMs.length / order.seconds };
  };
}
