/**
 * Machines that a MAAS installation looks after: which there are, their power, and what is installed on them. A port is open for
 * any number of sites; the address and the key come with each call, because operators add sites while processes run.
 *
 * A refusal about one machine or one key is a `MaasRefused`. What does not answer, answers too late, too much or in a way that is
 * not MAAS throws, and may be tried again.
 */
export interface Maas {
  at(site: MaasAccess): MaasSite;
  /** Why the text of this address is refused; undefined when it is accepted. */
  urlProblem(url: string): string | undefined;
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface MaasAccess {
  /** Where MAAS is, e.g. https://maas.example:5443/MAAS. */
  readonly url: string;
  /** `consumer:token:secret`, as MAAS shows it. */
  readonly apiKey: string;
  /** The authority of the site's certificate, where it is none that Node knows. */
  readonly caPem?: string | undefined;
  /** Only machines of this resource pool are seen. */
  readonly pool?: string | undefined;
}

export interface MaasSite {
  /** The release that answers, and the name that the key belongs to. */
  whoami(): Promise<{ readonly release: string; readonly username: string } | MaasRefused>;
  machines(): Promise<readonly MaasMachine[] | MaasRefused>;
  machine(systemId: string): Promise<MaasMachine | MaasRefused>;
  /** Allocates a ready machine to the user of the key. */
  allocate(systemId: string, comment: string): Promise<MaasMachine | MaasRefused>;
  /** Stores notes on a machine, which say whose it is. MAAS removes them when the machine is released. */
  note(systemId: string, notes: Readonly<Record<string, string>>): Promise<MaasMachine | MaasRefused>;
  commission(systemId: string): Promise<MaasMachine | MaasRefused>;
  deploy(systemId: string, order: DeployOrder): Promise<MaasMachine | MaasRefused>;
  /** Releases a machine. With an erase, MAAS overwrites its disks before the machine is ready again. */
  release(systemId: string, order: ReleaseOrder): Promise<MaasMachine | MaasRefused>;
  /** Aborts the current action of a machine. */
  abort(systemId: string, comment: string): Promise<MaasMachine | MaasRefused>;
  power(systemId: string, to: 'on' | 'off', comment: string): Promise<MaasMachine | MaasRefused>;
}

export interface DeployOrder {
  readonly osystem: string;
  readonly series: string;
  /** The document that cloud-init reads. */
  readonly userData: string;
  readonly comment: string;
}
export interface ReleaseOrder {
  readonly erase: Erase;
  readonly comment: string;
}
/** `secure` asks disks to erase themselves, `full` writes over all of them, `quick` over their beginning and end. */
export type Erase = 'secure' | 'full' | 'quick' | 'none';

/** What MAAS says a machine is. Names are those of MAAS; one that we do not know is `unknown`, and nothing is done with it. */
export const maasStatuses = {
  0: 'new',
  1: 'commissioning',
  2: 'failed_commissioning',
  3: 'missing',
  4: 'ready',
  5: 'reserved',
  6: 'deployed',
  7: 'retired',
  8: 'broken',
  9: 'deploying',
  10: 'allocated',
  11: 'failed_deployment',
  12: 'releasing',
  13: 'failed_releasing',
  14: 'disk_erasing',
  15: 'failed_disk_erasing',
  16: 'rescue_mode',
  17: 'entering_rescue_mode',
  18: 'failed_entering_rescue_mode',
  19: 'exiting_rescue_mode',
  20: 'failed_exiting_rescue_mode',
  21: 'testing',
  22: 'failed_testing',
} as const;
export type MaasStatus = (typeof maasStatuses)[keyof typeof maasStatuses] | 'unknown';
export type MaasPower = 'on' | 'off' | 'error' | 'unknown';

export interface MaasMachine {
  readonly systemId: string;
  readonly hostname: string;
  readonly status: MaasStatus;
  /** What MAAS adds to the status, for people. */
  readonly detail: string;
  readonly power: MaasPower;
  /** Who allocated it, and what was noted on it. */
  readonly owner: string | undefined;
  readonly notes: Readonly<Record<string, string>>;
  readonly architecture: string;
  readonly cpus: number;
  readonly memoryMib: number;
  readonly tags: readonly string[];
  readonly addresses: readonly string[];
  readonly isLocked: boolean;
}

/** MAAS refused: there is no such machine, its state does not allow it, our key may not, or the request is not good. */
export class MaasRefused {
  readonly kind: 'absent' | 'conflict' | 'denied' | 'invalid';
  readonly message: string;
  constructor(kind: MaasRefused['kind'], message: string) {
    this.kind = kind;
    this.message = message;
  }
}
/** No answer, or one that is not from a MAAS. */
export class MaasAway extends Error {
  override readonly name = 'MaasAway';
}
