import { readFacts } from './machine.ts';
import { type BenchmarkName, help, type Options, readOptions } from './options.ts';
import { openReport, type Report } from './report.ts';
import { serveOrders } from './worker.ts';

/** `npm run bench`. Also the program of every part that runs in a process of its own: `main.ts part http-load`. */
const parts: Readonly<Record<string, () => Promise<void>>> = {
  'activation-load': async () => serveOrders((await import('./activation-load.ts')).runActivations),
  'dbos-chain': async () => serveOrders((await import('./dbos-chain.ts')).makeChain()),
  fleet: async () => serveOrders((await import('./fleet.ts')).openFleet),
  'http-load': async () => serveOrders((await import('./http-load.ts')).runHttpLoad),
  'node-connections': async () => serveOrders((await import('./node-connections.ts')).makeConnections()),
  'relay-consumer': async () => serveOrders((await import('./relay/consumer.ts')).makeConsumer()),
  'relay-peer': async () => serveOrders((await import('./relay/peers.ts')).runPeer),
  'relay-producer': async () => serveOrders((await import('./relay/producer.ts')).produce),
};

const benchmarks: Readonly<Record<BenchmarkName, (options: Options, report: Report) => Promise<void>>> = {
  'write-path': async (...given) => (await import('./write-path/write-path.ts')).measureWritePath(...given),
  relay: async (...given) => (await import('./relay/relay.ts')).measureRelay(...given),
  'auth-overhead': async (...given) => (await import('./auth-overhead.ts')).measureAuthOverhead(...given),
  placement: async (...given) => (await import('./placement.ts')).measurePlacement(...given),
  activation: async (...given) => (await import('./activation.ts')).measureActivation(...given),
  agents: async (...given) => (await import('./agents.ts')).measureAgents(...given),
  billing: async (...given) => (await import('./billing/billing.ts')).measureBilling(...given),
  'cli-start': async (...given) => (await import('./cli-start.ts')).measureCliStart(...given),
  start: async (...given) => (await import('./start.ts')).measureStart(...given),
};

async function main(args: readonly string[]): Promise<void> {
  const [first, name = ''] = args;
  if (first === 'part') {
    const play = parts[name];
    if (!play) throw new Error(`There is no part ${name}.`);
    return play();
  }
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(help);
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  for (const benchmark of options.only) {
    const report = openReport(benchmark, readFacts());
    await benchmarks[benchmark](options, report);
    const { violations } = await report.close();
    if (violations.length > 0) process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
