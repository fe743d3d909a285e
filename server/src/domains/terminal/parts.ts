import type { Database } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Policies } from '../policy/index.ts';
import type { LiveReports } from './live.ts';
import type { PlatformKeys } from './platform-keys/keys.ts';
import type { Tokens } from './tokens.ts';

/** Where gateways are reached. */
export interface GatewayAddresses {
  /** By browsers and the command line: wss://host:port, or ws:// on a machine of one's own. */
  readonly url: string;
  /** By nodes: wss://host:port. */
  readonly nodeUrl: string;
}
/** Where people reach the SSH jump host. */
export interface JumpHostPlace {
  readonly host: string;
  readonly port: number;
}
export interface TerminalParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number' | 'value'>;
  readonly tokens: Tokens;
  readonly live: LiveReports;
  /** Undefined where no gateway runs: then nobody gets a terminal. */
  readonly gateway: GatewayAddresses | undefined;
  /** Undefined where gateways are no jump host. */
  readonly jump: JumpHostPlace | undefined;
  /** Undefined where nothing could be sealed: then there is no jump host and no certificate. */
  readonly platformKeys: PlatformKeys | undefined;
}
