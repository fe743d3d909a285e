import { systemClock } from '../../kernel/clock.ts';

/**
 * A whole life of an adapter in a process of its own: opened by its configuration, used once, closed. What is left
 * behind, a socket or a timer, keeps the process alive, and whoever started it sees that. See `ends-by-itself.ts`.
 */
interface Adapter {
  check(): Promise<void>;
  close(): Promise<void>;
}
type Open = (config: unknown, parts: { clock: typeof systemClock }) => Promise<Adapter>;

const [module = '', opener = '', config = ''] = process.argv.slice(2);
const doors = (await import(module)) as Record<string, Open>;
const adapter = await doors[opener]?.(JSON.parse(config), { clock: systemClock });
if (!adapter) throw new Error(`${module} has no ${opener}`);
await adapter.check();
await adapter.close();
