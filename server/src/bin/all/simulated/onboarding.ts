import { systemClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Call } from '../caller.ts';
import { regions } from './fleet-plan.ts';
import type { FleetMember, LocalFleet } from './simulated-fleet.ts';

interface FleetNode {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly schedulable: boolean;
  readonly cordon_reason: string | null;
  readonly topology_at: string | null;
  readonly slots: Readonly<Record<string, number>>;
}
interface Offer {
  readonly node: FleetNode;
  readonly token: string;
  readonly ca_fingerprint: string | null;
}
interface Image {
  readonly slug: string;
  readonly digest: string;
  readonly skus: readonly string[];
  readonly active: boolean;
}

const simulatedAllowed = 'node.simulated_allowed';
const speedPolicy = 'node.simulated_gpu_time_speed';
const atOnce = 4;
const lookEveryMs = 200;
const patienceMs = 60_000;
const mostRounds = 6;

/**
 * Brings simulated hosts into service as an operator would, through the public API: allow simulated hosts, announce the
 * host, let it enrol, ask what it is made of, approve its slots, note its images, publish it. Each step looks first at
 * what is there, so that a start that was killed in the middle is finished by the next.
 */
export async function onboardFleet(spec: {
  readonly fleet: LocalFleet;
  readonly call: Call;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** How many times as fast GPU time passes on them; 1 when left out. */
  readonly gpuTimeSpeed?: number;
  /** Called for each host that is in service. */
  readonly onReady?: (member: FleetMember) => void;
  readonly betweenRoundsMs?: number;
  /** How long a host that was admitted may take to say what it is made of. */
  readonly answerWithinMs?: number;
}): Promise<void> {
  const { fleet, call, log, signal, betweenRoundsMs = 20_000, answerWithinMs = 5_000 } = spec;
  await openRegions(call);
  await allowSimulated(call);
  await setSpeed(call, spec.gpuTimeSpeed ?? 1);
  const images = ((await call('GET', '/api/v1/admin/os-images?limit=200')) as { data: Image[] }).data;
  const view = makeView(call);
  /** Answers with those that have to be tried again. */
  const onboardAll = async (members: readonly FleetMember[]): Promise<FleetMember[]> => {
    const queue = [...members];
    const again: FleetMember[] = [];
    const work = async () => {
      for (let member = queue.shift(); member; member = queue.shift()) {
        signal.throwIfAborted();
        try {
          await onboard(member, { call, view, images, signal, answerWithinMs });
          spec.onReady?.(member);
        } catch (error) {
          if (signal.aborted) throw error;
          again.push(member);
          log.warn({ err: error, node: member.plan.name }, 'a simulated host could not be brought into service yet');
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return again;
  };
  let left: readonly FleetMember[] = fleet.members;
  for (let round = 1; left.length > 0 && round <= mostRounds; round += 1) {
    // The door takes so many newcomers a minute; the rest of a large fleet comes later.
    if (round > 1) await systemClock.sleep(betweenRoundsMs, signal);
    left = await onboardAll(left);
  }
  if (left.length > 0) log.error({ nodes: left.map(({ plan }) => plan.name) }, 'some simulated hosts stay outside');
  // An image may be offered once every host that takes work has it.
  for (const image of images) {
    if (!image.active) await call('PATCH', `/api/v1/admin/os-images/${image.slug}`, { active: true });
  }
}

async function openRegions(call: Call): Promise<void> {
  const { data } = (await call('GET', '/api/v1/admin/regions?limit=200')) as { data: { slug: string }[] };
  for (const region of regions) {
    if (!data.some(({ slug }) => slug === region.slug)) await call('POST', '/api/v1/admin/regions', region);
  }
}

/** These hosts are simulated, and an installation has to allow that. What an operator has set is left alone. */
async function allowSimulated(call: Call): Promise<void> {
  const { settings } = (await call('GET', '/api/v1/admin/policies')) as { settings: { key: string }[] };
  if (settings.some(({ key }) => key === simulatedAllowed)) return;
  const reason = 'This installation has a simulated fleet.';
  await call('PUT', `/api/v1/admin/policies/${simulatedAllowed}`, { level: 'global', value: true, reason });
}

/** The hosts and the control plane agree about how fast GPU time passes. */
async function setSpeed(call: Call, speed: number): Promise<void> {
  const { settings } = (await call('GET', '/api/v1/admin/policies')) as {
    settings: { key: string; level: string; value: unknown }[];
  };
  const known = settings.find(({ key, level }) => key === speedPolicy && level === 'global')?.value ?? 1;
  if (known === speed) return;
  const reason = `This installation was started with --speed ${speed}.`;
  await call('PUT', `/api/v1/admin/policies/${speedPolicy}`, { level: 'global', value: speed, reason });
}

/** The fleet as the control plane sees it. Concurrent callers share one request. */
function makeView(call: Call) {
  let asking: Promise<FleetNode[]> | undefined;
  const ask = async () => {
    const nodes: FleetNode[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await call('GET', `/api/v1/admin/nodes?limit=200${query}`)) as {
        data: FleetNode[];
        next_cursor: string | null;
      };
      nodes.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return nodes;
  };
  const find = async (name: string): Promise<FleetNode | undefined> => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return (await asking).find((node) => node.name === name && node.state !== 'deleted');
  };
  return {
    find,
    /** Undefined when it does not come to be so within `ms`. */
    async until(name: string, is: (node: FleetNode) => boolean, ms: number, signal: AbortSignal) {
      const untilMs = systemClock.now().getTime() + ms;
      for (;;) {
        const node = await find(name);
        if (node && is(node)) return node;
        if (systemClock.now().getTime() > untilMs) return undefined;
        await systemClock.sleep(lookEveryMs, signal);
      }
    },
  };
}
type View = ReturnType<typeof makeView>;

async function onboard(
  member: FleetMember,
  parts: {
    readonly call: Call;
    readonly view: View;
    readonly images: readonly Image[];
    readonly signal: AbortSignal;
    readonly answerWithinMs: number;
  },
): Promise<void> {
  const { call, view, signal, answerWithinMs } = parts;
  const { name, region, sku } = member.plan;
  const of = (id: string) => `/api/v1/admin/nodes/${id}`;
  const known = await view.find(name);
  if (!member.isEnrolled()) {
    const offer = (
      known
        ? await call('POST', `${of(known.id)}/enrolment-token`, { purpose: 'enrol' })
        : await call('POST', '/api/v1/admin/nodes', { name, region, sku, address: '127.0.0.1' })
    ) as Offer;
    await member.startAgent(enrolmentOf(offer));
  } else {
    const agent = await member.startAgent();
    // A certificate lasts a day; a start after a longer rest needs an operator's word again.
    if (agent && known && agent.status().certificateValidTo <= systemClock.now()) {
      const offer = (await call('POST', `${of(known.id)}/enrolment-token`, { purpose: 'recover' })) as Offer;
      await agent.recover(enrolmentOf(offer));
    }
  }
  // Stopped on purpose: it stays as it is until it is started again.
  if (!member.agent()) return;

  const isIn = ({ state }: FleetNode) => state !== 'bootstrap_issued' && state !== 'enrolling';
  const admitted = await view.until(name, isIn, patienceMs, signal);
  if (!admitted) throw new Error(`${name} enrolled, and was not admitted within ${patienceMs / 1_000} s.`);
  const isKnown = ({ topology_at }: FleetNode) => topology_at !== null;
  // An admitted host is discovered; one whose answer was lost is asked again.
  let node = await view.until(name, isKnown, answerWithinMs, signal);
  if (!node) {
    await call('POST', `${of(admitted.id)}/topology/discover`);
    node = await view.until(name, isKnown, patienceMs, signal);
  }
  if (!node) throw new Error(`${name} does not say what it is made of.`);
  if (Object.keys(node.slots).length === 0) await call('POST', `${of(node.id)}/slots/approve`, {});
  for (const image of node.schedulable ? [] : parts.images) {
    if (!image.skus.includes(sku)) continue;
    await call('PUT', `${of(node.id)}/images/${image.slug}`, { digest: image.digest });
  }
  // One that an operator cordoned says why, and stays cordoned.
  if (!node.schedulable && node.cordon_reason === null && node.state === 'active') {
    await call('POST', `${of(node.id)}/publish`, {});
  }
}

/** What the operator would give to the host: a token, and which authority to trust. */
const enrolmentOf = ({ token, ca_fingerprint: caFingerprint }: Offer) => ({
  token,
  ...(caFingerprint !== null && { caFingerprint }),
});
