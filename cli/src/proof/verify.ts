import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import type { UsageProof } from '@gpuaas/sdk';

/**
 * Recomputes the charges of a usage line from its proof alone: signed records of nodes, the rate, the rounding, and the
 * links of the chain. It asks no server and uses public keys only. What a project stored rests on readings of the server, which
 * nobody signs: then the proof shows that the charge follows from them, and that neither was changed since.
 */
export interface Verdict {
  readonly meter: NonNullable<Proof['meter']>;
  /** Readings of the server that a line of storage or of an app rests on. */
  readonly readings: number;
  /** What does not fit, one sentence each; empty when the proof holds. */
  readonly problems: readonly string[];
  readonly windows: number;
  readonly records: number;
  readonly links: number;
  /** The sum of the windows, in minor units, as it was recomputed. */
  readonly amountMinor: bigint;
  readonly currency: string;
  /** How many times as fast GPU time passed in the fastest record: 1 on real hosts. */
  readonly gpuTimeSpeed: number;
  /** Public keys that signed the records. Compare them with the keys of the nodes, if you know these. */
  readonly keys: readonly string[];
}

type Proof = UsageProof;

const unit = '\u001f';
const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const most = (a: bigint, b: bigint) => (a > b ? a : b);
const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** The price of an hour is in 10^-6 minor units and time is in milliseconds, so `exact` counts 1/3.6e12 of a minor unit. */
const exactPerMinor = 3_600_000_000_000n;
const micro = 1_000_000n;
/** Prices of units that an app counted are for one of them, a thousand or a million. */
const perUnits: Readonly<Record<string, bigint>> = {
  unit: micro,
  thousand_units: micro * 1_000n,
  million_units: micro * micro,
};
const rounded = (exact: bigint, kind: string): bigint => {
  const scale = perUnits[kind] ?? exactPerMinor;
  return (exact * 2n + scale) / (scale * 2n);
};

interface Window {
  readonly id: string;
  readonly text: string;
  readonly allocation: string;
  readonly currency: string;
  readonly unit: string;
  readonly fromUs: bigint;
  readonly toUs: bigint;
  readonly quantityMs: bigint;
  readonly rateMicro: bigint;
  readonly exact: bigint;
  readonly charged: bigint;
  readonly amount: bigint;
  readonly evidence: string;
}
const windowFields = 18;

function readWindow({ id, text }: Proof['windows'][number]): Window {
  const fields = text.split(unit);
  if (fields.length !== windowFields || fields[0] !== id) throw new Error(`Window ${id} has another text.`);
  const [, , , allocation = '', , , , , currency = '', kind = '', ...rest] = fields;
  const [from, to, quantity, rate, exact, charged, amount] = rest.slice(0, -1).map((field) => BigInt(field));
  return {
    ...{ id, text, allocation, currency, unit: kind, evidence: rest.at(-1) ?? '' },
    ...{ fromUs: from as bigint, toUs: to as bigint, quantityMs: quantity as bigint, rateMicro: rate as bigint },
    ...{ exact: exact as bigint, charged: charged as bigint, amount: amount as bigint },
  };
}

interface Counted {
  readonly digest: Buffer;
  readonly gpus: number;
  /** How many times as fast GPU time passed: 1 on real hosts. */
  readonly speed: bigint;
  /** When the record begins, and the part of it that counts. */
  readonly startUs: bigint;
  readonly fromUs: bigint;
  readonly toUs: bigint;
}

/** A record whose signature is right, cut to the time that counts: after the attestation, before the release. */
function readRecord(proof: Proof, { record, result_key }: Proof['evidence'][number]): Counted {
  const { signature, ...covered } = JSON.parse(record) as {
    readonly signature: string;
    readonly node_id: string;
    readonly allocation_id: string;
    readonly generation: number;
    readonly sequence: number;
    readonly from: string;
    readonly to: string;
    readonly gpus: readonly string[];
    readonly speed?: number;
  };
  const name = `Record ${covered.sequence} of lease ${covered.generation}`;
  // The record is canonical JSON, so the signed text is the same text without the signature.
  const signed = record.replace(`,"signature":${JSON.stringify(signature)}`, '');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: result_key }, format: 'jwk' });
  if (!verifySignature(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))) {
    throw new Error(`${name} was not signed by its node.`);
  }
  if (covered.allocation_id !== proof.allocation_id) throw new Error(`${name} is about another allocation.`);
  const attested = proof.attestations.find(
    ({ node_id, generation }) => node_id === covered.node_id && generation === covered.generation,
  );
  if (!attested) throw new Error(`${name} is of a machine that was never attested.`);
  const [startUs, endUs] = [microsOf(covered.from), microsOf(covered.to)];
  const fromUs = most(startUs, BigInt(attested.taken_at));
  const toUs = most(fromUs, proof.stop_at === null ? endUs : least(endUs, BigInt(proof.stop_at)));
  const gpus = attested.gpus.filter((uuid) => covered.gpus.includes(uuid)).length;
  return { digest: sha256(record), gpus, speed: BigInt(covered.speed ?? 1), startUs, fromUs, toUs };
}
const speedOf = (record: string): number => (JSON.parse(record) as { readonly speed?: number }).speed ?? 1;
const microsOf = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000n;

/** Microseconds to whole milliseconds, rounded half up, as the ledger does it. */
const toMs = (us: bigint): bigint => (us + 500n) / 1_000n;

function measure(proof: Proof, window: Window, records: readonly Counted[]) {
  const ordered = BigInt(proof.ordered_gpus);
  const inside = records.filter(({ fromUs, toUs }) => fromUs < window.toUs && toUs > window.fromUs);
  const quantityMs = inside.reduce((sum, { fromUs, toUs, gpus, speed }) => {
    const ms = toMs(least(toUs, window.toUs) - most(fromUs, window.fromUs));
    const units = window.unit === 'node_hour' ? (BigInt(gpus) >= ordered ? 1n : 0n) : least(BigInt(gpus), ordered);
    return sum + ms * units * speed;
  }, 0n);
  const inOrder = inside.toSorted((a, b) => Number(a.startUs - b.startUs));
  return { quantityMs, evidence: sha256(...inOrder.map(({ digest }) => digest)).toString('hex') };
}

interface Reading {
  readonly digest: Buffer;
  readonly atUs: bigint;
  readonly bytes: bigint;
  /** Bytes times microseconds up to this reading. */
  readonly byteUs: bigint;
}
const bytesUsPerUnit = 1_073_741_824n * 1_000n;

/** Each reading has to follow from the one before. */
function readReadings(proof: Proof): readonly Reading[] {
  const readings = (proof.readings ?? []).map((text): Reading => {
    const [project, , at, bytes, byteUs] = text.split(unit);
    if (project !== proof.allocation_id) throw new Error('A reading is about another project.');
    return { digest: sha256(text), atUs: BigInt(at ?? ''), bytes: BigInt(bytes ?? ''), byteUs: BigInt(byteUs ?? '') };
  });
  for (const [index, each] of readings.entries()) {
    const last = readings[index - 1];
    if (last && sumAt(last, each.atUs) !== each.byteUs)
      throw new Error('A reading does not follow from the one before.');
  }
  return readings;
}
const sumAt = ({ byteUs, bytes, atUs }: Reading, at: bigint): bigint => byteUs + bytes * (at - atUs);

/** What was counted in a window: the difference of two readings. */
function measureUnits(proof: Proof, window: Window) {
  const readings = (proof.readings ?? []).map((text) => ({ text, fields: text.split(unit) }));
  const index = readings.findIndex(({ fields }) => BigInt(fields[2] ?? -1) === window.toUs);
  const [reading, before] = [readings[index], readings[index - 1]];
  if (!reading || reading.fields[0] !== proof.allocation_id)
    throw new Error(`Window ${window.id} rests on no reading.`);
  const quantityMs = BigInt(reading.fields.at(-1) ?? '') - BigInt(before?.fields.at(-1) ?? 0);
  return { quantityMs, evidence: sha256(reading.text).toString('hex') };
}

function measureStorage(window: Window, readings: readonly Reading[]) {
  const first = readings.findLastIndex(({ atUs }) => atUs <= window.fromUs);
  const [before, after] = [readings[first], readings.findLast(({ atUs }) => atUs <= window.toUs)];
  if (!before || !after) throw new Error(`Window ${window.id} rests on no reading.`);
  const quantityMs = sumAt(after, window.toUs) / bytesUsPerUnit - sumAt(before, window.fromUs) / bytesUsPerUnit;
  const inside = readings.slice(first).filter(({ atUs }) => atUs < window.toUs);
  return { quantityMs, evidence: sha256(...inside.map(({ digest }) => digest)).toString('hex') };
}

/** The entries of the links, by id. Each link has to fit its entries, and adjacent ones each other. */
function readLinks(proof: Proof): Map<string, readonly string[]> {
  const entries = new Map<string, readonly string[]>();
  let last: Proof['links'][number] | undefined;
  for (const link of proof.links) {
    const text = [link.number, link.balance_minor, link.held_minor, link.entries.join('\u001e')].join(unit);
    const hash = sha256(Buffer.from(link.hash_before, 'hex'), text).toString('hex');
    if (hash !== link.hash) throw new Error(`Link ${link.number} of the chain does not fit its entries.`);
    if (last && BigInt(last.number) + 1n === BigInt(link.number) && last.hash !== link.hash_before) {
      throw new Error(`Link ${link.number} of the chain does not follow link ${last.number}.`);
    }
    for (const entry of link.entries) {
      const fields = entry.split(unit);
      entries.set(fields[0] ?? '', fields);
    }
    last = link;
  }
  return entries;
}

function checkEntry(window: Window, entry: readonly string[] | undefined): string | undefined {
  if (window.amount === 0n) return entry ? `Window ${window.id} costs nothing and has an entry.` : undefined;
  if (!entry) return `Window ${window.id} has no entry in the chain.`;
  const [, , currency, kind, , , amounts] = entry;
  if (kind !== 'usage' || currency !== window.currency) return `The entry of window ${window.id} is not about usage.`;
  if (amounts !== `-${window.amount},${window.amount}`) return `The entry of window ${window.id} has another amount.`;
  return entry.at(-1) === sha256(window.text).toString('hex')
    ? undefined
    : `The entry of window ${window.id} was made for another text.`;
}

/** Checks one part of a proof and moves `state`, the exact price and the charge so far, past its windows. */
function checkPart(proof: Proof, state: { exact: bigint; charged: bigint }) {
  const problems: string[] = [];
  const records = proof.evidence.map((each) => readRecord(proof, each));
  const readings = proof.meter === 'storage' ? readReadings(proof) : [];
  const entries = readLinks(proof);
  let amount = 0n;
  for (const each of proof.windows) {
    const window = readWindow(each);
    const { quantityMs, evidence } =
      window.unit in perUnits
        ? measureUnits(proof, window)
        : window.unit === 'gib_hour'
          ? measureStorage(window, readings)
          : measure(proof, window, records);
    const exact = state.exact + window.rateMicro * quantityMs;
    const total = rounded(exact, window.unit);
    const cost = total - state.charged;
    if (window.allocation !== proof.allocation_id) problems.push(`Window ${window.id} is of another resource.`);
    if (evidence !== window.evidence) problems.push(`Window ${window.id} rests on other evidence.`);
    if (quantityMs !== window.quantityMs) problems.push(`Window ${window.id} charges a quantity that is not proven.`);
    if (exact !== window.exact || total !== window.charged || cost !== window.amount) {
      problems.push(`Window ${window.id} has another amount: ${window.amount}, recomputed ${cost}.`);
    }
    const wrong = checkEntry(window, entries.get(window.id));
    if (wrong) problems.push(wrong);
    state.exact = exact;
    state.charged = total;
    amount += cost;
  }
  return { problems, amount };
}

/** `parts` are the pages of one proof, in order. */
export function verifyProof(parts: readonly Proof[]): Verdict {
  const problems: string[] = [];
  let amountMinor = 0n;
  const [first] = parts;
  const state = { exact: BigInt(first?.before.exact ?? 0), charged: BigInt(first?.before.charged_minor ?? 0) };
  for (const part of parts) {
    try {
      if (part.line_id !== first?.line_id) throw new Error('The parts are of different lines.');
      if (rounded(state.exact, part.windows[0]?.text.split(unit)[9] ?? '') !== state.charged)
        throw new Error('What was charged before does not fit its exact price.');
      const done = checkPart(part, state);
      problems.push(...done.problems);
      amountMinor += done.amount;
    } catch (fault) {
      problems.push(fault instanceof Error ? fault.message : 'The proof cannot be read.');
    }
  }
  return {
    ...{ problems, amountMinor, meter: first?.meter ?? 'gpu_time' },
    readings: new Set(parts.flatMap(({ readings = [] }) => readings)).size,
    windows: parts.reduce((sum, { windows }) => sum + windows.length, 0),
    records: new Set(parts.flatMap(({ evidence }) => evidence.map(({ record }) => record))).size,
    links: new Set(parts.flatMap(({ links }) => links.map(({ number }) => number))).size,
    gpuTimeSpeed: Math.max(1, ...parts.flatMap(({ evidence }) => evidence.map(({ record }) => speedOf(record)))),
    currency: first?.windows[0]?.text.split(unit)[8] ?? '',
    keys: [...new Set(parts.flatMap(({ evidence }) => evidence.map(({ result_key }) => result_key)))],
  };
}
