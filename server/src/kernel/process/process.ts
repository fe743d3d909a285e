import { type Static, type TObject, Type } from 'typebox';
import { makeScope, type Scope } from '../access/scope.ts';
import type { Clock } from '../clock.ts';
import type { Ids } from '../id.ts';
import { serveHealth } from '../telemetry/health.ts';
import type { Log } from '../telemetry/log.ts';
import { type Metrics, makeMetrics } from '../telemetry/metrics.ts';
import { ConfigFault, type Environment, readConfig } from './config.ts';
import { armFailpoints } from './failpoint.ts';

/**
 * A process is a value: its name, the ports it needs, its configuration and how it starts. The same value runs alone in
 * production and beside the others in one Node process on a laptop; there is no second program for demos.
 */
export interface ProcessSpec<Ports, Need extends keyof Ports, Config extends TObject> {
  readonly name: string;
  readonly summary: string;
  readonly needs: readonly Need[];
  readonly config: Config;
  start(parts: Pick<Ports, Need> & Common<Static<Config>>): Promise<void>;
}
export interface Common<Config> {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly scope: Scope;
}
// biome-ignore lint/suspicious/noExplicitAny: a list of processes holds processes of every need; defineProcess keeps the precise one
export type AnyProcess = ProcessSpec<any, any, TObject>;

/** `defineProcess` over a set of ports: a process that touches a port it did not ask for does not compile. */
export const processesOver =
  <Ports>() =>
  <const Need extends keyof Ports, Config extends TObject>(
    spec: ProcessSpec<Ports, Need, Config>,
  ): ProcessSpec<Ports, Need, Config> =>
    spec;

/** The settings of every process, besides its own. */
export const everyProcess = Type.Object({
  healthHost: Type.String({
    default: '127.0.0.1',
    description: 'The address that serves /healthz, /readyz and /metrics.',
  }),
  healthPort: Type.Integer({ default: 0, minimum: 0, maximum: 65_535, description: 'Its port; 0 takes a free one.' }),
  shutdownSeconds: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 300,
    description: 'How long an orderly stop may take.',
  }),
  logLevel: Type.Enum(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'debug, info, warn, error, fatal or silent.',
  }),
  otlpEndpoint: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Where traces go, e.g. http://collector:4318/v1/traces.' }),
  ),
  failpoints: Type.Optional(Type.String({ description: 'For tests only: where to die, stall or fail.' })),
});

export interface Running {
  readonly name: string;
  readonly healthUrl: string;
  /** Closes everything in reverse order. Answers what did not close in time. */
  stop(): Promise<string[]>;
}

export async function startProcess<Ports, Need extends keyof Ports, Config extends TObject>(
  spec: ProcessSpec<Ports, Need, Config>,
  given: {
    readonly env: Environment;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly log: Log;
    readonly version: string;
    /** The settings of the ports, so that their faults are reported together with the others. */
    readonly portsConfig?: TObject;
    /** Opens the ports that were asked for; closing them is the scope's business. */
    readonly openPorts: (needs: readonly Need[], common: Common<unknown>, name: string) => Promise<Pick<Ports, Need>>;
  },
): Promise<Running> {
  const { base, config } = readWhole(
    spec.name,
    spec.config,
    spec.needs.length > 0 ? given.portsConfig : undefined,
    given.env,
  );
  const log = given.log;
  if (base.failpoints) {
    armFailpoints(base.failpoints);
    log.warn({ failpoints: base.failpoints }, 'failpoints are armed: this process is here to break');
  }
  const scope = makeScope(log);
  const metrics = makeMetrics(spec.name, given.version);
  const common = { config, clock: given.clock, ids: given.ids, log, metrics, scope };
  try {
    // Health comes first: an orchestrator may ask while the rest is still starting, and learns "alive, not ready".
    let started = false;
    scope.ready('start', async () => {
      if (!started) throw new Error('still starting');
    });
    const health = scope.keep(
      'health',
      await serveHealth({
        host: base.healthHost,
        port: base.healthPort,
        checks: scope.checks,
        stopping: scope.stopping,
        clock: given.clock,
        metrics,
        log,
      }),
    );
    await spec.start({ ...(await given.openPorts(spec.needs, common, spec.name)), ...common });
    started = true;
    log.info({ health: health.url }, `${spec.name} started`);
    return {
      name: spec.name,
      healthUrl: health.url,
      stop: async () => {
        const late = await scope.close(base.shutdownSeconds * 1_000);
        if (late.length > 0) log.error({ late }, 'some parts did not close in time');
        return late;
      },
    };
  } catch (error) {
    await scope.close(base.shutdownSeconds * 1_000);
    throw error;
  }
}

/** The settings of every process and those of this one, with the faults of both in one message. */
function readWhole<Config extends TObject>(name: string, own: Config, ports: TObject | undefined, env: Environment) {
  const faults: string[] = [];
  const attempt = <S extends TObject>(schema: S): Static<S> | undefined => {
    try {
      return readConfig(name, schema, env);
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  };
  const base = attempt(everyProcess);
  const config = attempt(own);
  if (ports) attempt(ports);
  if (!base || !config || faults.length > 0) throw new ConfigFault(name, faults);
  return { base, config };
}
