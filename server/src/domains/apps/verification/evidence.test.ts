import { describe, expect, it } from 'vitest';
import { RegistryAway } from '../../../ports/registry/port.ts';
import { openBundle, openSimpleSigning, signaturePredicate } from './envelopes.ts';
import { answerOf, gatherEvidence } from './evidence.ts';
import { isFrom } from './image.ts';
import { readPublicKey } from './public-key.ts';
import {
  bundleType,
  cosignKey,
  madeByCosign,
  makeBundle,
  makeMemoryRegistry,
  makeSigner,
  pinned,
  putSigned,
} from './testing.ts';

const sources = [{ registry: 'registry.example.com', repository: 'demo' }];
const ofCosign = {
  ...{ imageRepository: 'registry.example.com/demo/echo', imageDigest: madeByCosign.digest },
  ...{ sources, keys: [cosignKey] },
};
const resultsOf = (evidence: Awaited<ReturnType<typeof gatherEvidence>>) =>
  Object.fromEntries(evidence.map(({ subject, result }) => [subject, result]));
const all = { source: 'passed', digest: 'passed', signature: 'passed', sbom: 'passed' };
const other = pinned('other', makeSigner().pem);
const bundles = Object.values(madeByCosign.blobs).filter((text) => text.includes('dsseEnvelope'));
const claims = Object.values(madeByCosign.blobs).filter((text) => text.includes('docker-manifest-digest'));

/** Numbers that follow from a seed, so that a failure can be repeated. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) % below;
  };
}

describe('evidence about an image', () => {
  it('is whole for what cosign signed, in both of its forms', async () => {
    for (const form of ['tag', 'signature'] as const) {
      const registry = makeMemoryRegistry();
      registry.putCosign(['image', form, 'sbom']);
      const evidence = await gatherEvidence(registry, ofCosign);
      expect(resultsOf(evidence), form).toEqual(all);
      expect(answerOf(evidence)).toBe('verified');
      expect(evidence.find(({ subject }) => subject === 'sbom')?.detail).toContain('SPDX-2.3, 1 packages, signed by');
    }
  });

  it('takes an SBOM that lies beside the image without a signature, and says so', async () => {
    const registry = makeMemoryRegistry();
    registry.putCosign(['image', 'tag']);
    const list = registry.putBlob(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [{}, {}] }));
    registry.putManifest(
      { layers: [{ mediaType: 'application/vnd.cyclonedx+json', digest: list }] },
      { subject: madeByCosign.digest, artifactType: 'application/vnd.cyclonedx+json' },
    );
    const evidence = await gatherEvidence(registry, ofCosign);
    expect(answerOf(evidence)).toBe('verified');
    expect(evidence.at(-1)?.detail).toBe('CycloneDX 1.6, 2 components, not signed.');
  });

  it.each<[string, object, readonly ('image' | 'tag' | 'signature' | 'sbom')[], object]>([
    ['an SBOM', {}, ['image', 'signature'], { ...all, sbom: 'missing' }],
    ['a signature', {}, ['image'], { ...all, signature: 'missing', sbom: 'missing' }],
    [
      'a pinned key',
      { keys: [] },
      ['image', 'tag', 'signature', 'sbom'],
      { ...all, signature: 'missing', sbom: 'missing' },
    ],
    ['the image', {}, [], { source: 'passed', digest: 'missing' }],
    ['a source that an operator has named', { sources: [] }, ['image', 'tag', 'sbom'], { source: 'missing' }],
  ])('leaves the question open without %s', async (_, changed, parts, results) => {
    const registry = makeMemoryRegistry();
    registry.putCosign(parts);
    const evidence = await gatherEvidence(registry, { ...ofCosign, ...changed });
    expect(resultsOf(evidence)).toEqual(results);
    expect(answerOf(evidence)).toBe('open');
  });

  it('never asks a registry that no operator has named', async () => {
    const registry = makeMemoryRegistry();
    for (const imageRepository of ['169.254.169.254/latest/meta', 'registry.example.com/demonstration/x', 'nothing']) {
      await gatherEvidence(registry, { ...ofCosign, imageRepository });
    }
    expect(registry.asked).toEqual([]);
    expect(isFrom({ registry: 'a.test', repository: 'team/x' }, [{ registry: 'a.test', repository: 'team' }])).toBe(
      true,
    );
    expect(isFrom({ registry: 'a.test:5000', repository: 'x' }, [{ registry: 'a.test', repository: '' }])).toBe(false);
  });

  it('fails a signature that another key made, and one that is for another image', async () => {
    const registry = makeMemoryRegistry();
    registry.putCosign();
    const byOther = await gatherEvidence(registry, { ...ofCosign, keys: [other] });
    expect(resultsOf(byOther)).toMatchObject({ signature: 'failed', sbom: 'missing' });
    expect(answerOf(byOther)).toBe('failed');

    const signer = makeSigner();
    const image = registry.putManifest({ layers: [{ mediaType: 'x', digest: registry.putBlob('another') }] });
    const stolen = registry.putBlob(makeBundle(signer.secret, madeByCosign.digest, signaturePredicate));
    registry.putManifest({ layers: [{ mediaType: bundleType, digest: stolen }] }, { subject: image });
    const moved = { ...ofCosign, imageDigest: image, keys: [pinned('ours', signer.pem)] };
    const evidence = await gatherEvidence(registry, moved);
    expect(answerOf(evidence)).toBe('failed');
    expect(evidence[2]?.detail).toContain('and not for this image');
  });

  it('is not spoiled by what strangers put beside the image, as long as one signature is right', async () => {
    const registry = makeMemoryRegistry();
    const signer = makeSigner();
    const digest = putSigned(registry, signer.secret);
    const junk = registry.putBlob(makeBundle(makeSigner().secret, digest, signaturePredicate));
    registry.putManifest({ layers: [{ mediaType: bundleType, digest: junk }] }, { subject: digest });
    const keys = [pinned('ours', signer.pem)];
    expect(answerOf(await gatherEvidence(registry, { ...ofCosign, imageDigest: digest, keys }))).toBe('verified');
  });

  it('is none at all when the registry gives no usable answer', async () => {
    const registry = makeMemoryRegistry();
    registry.putCosign();
    registry.trouble = 'registry.example.com did not answer in time';
    await expect(gatherEvidence(registry, ofCosign)).rejects.toThrow(RegistryAway);
  });

  it('is none when everything together takes too long, although each answer comes in time', async () => {
    const registry = makeMemoryRegistry();
    registry.putCosign();
    let questions = 0;
    const isOver = () => {
      questions += 1;
      return questions > 3;
    };
    await expect(gatherEvidence(registry, { ...ofCosign, isOver })).rejects.toThrow(/took too long/);
    expect(registry.asked).toHaveLength(3);
  });

  it('is true for no mutated bundle: 10,000 of them, whose statement or signature is another one', () => {
    const random = makeRandom(20_261_118);
    const flips = 10_000;
    let opened = 0;
    for (let round = 0; round < flips; round += 1) {
      const text = bundles[random(bundles.length)] ?? '';
      const bytes = Buffer.from(text);
      for (let change = 0; change <= random(3); change += 1) bytes[random(bytes.length)] = random(256);
      const result = openBundle(bytes, [cosignKey]);
      if ('fault' in result) continue;
      opened += 1;
      // Only what the signature does not cover was changed: the claim is the one that was signed.
      expect(result.claim.digest).toBe(madeByCosign.digest);
      expect(bytes.toString('utf8')).toContain(/"payload":"([^"]*)"/.exec(text)?.[1]);
    }
    expect(opened).toBeLessThan(flips / 2);
  });

  it('is true for no mutated claim of the other form', () => {
    const random = makeRandom(7);
    const [payload = ''] = claims;
    const tag = Object.values(madeByCosign.manifests).find(({ text }) => text.includes('simplesigning'))?.text ?? '';
    const signature = /"dev\.cosignproject\.cosign\/signature":"([^"]+)"/.exec(tag)?.[1] ?? '';
    expect(openSimpleSigning(Buffer.from(payload), signature, [cosignKey])).toMatchObject({
      claim: { digest: madeByCosign.digest },
    });
    for (let round = 0; round < 2_000; round += 1) {
      const bytes = Buffer.from(payload);
      const at = random(bytes.length);
      bytes[at] = ((bytes[at] ?? 0) + 1 + random(255)) % 256;
      expect(openSimpleSigning(bytes, signature, [cosignKey])).toHaveProperty('fault');
      const bent = signature.slice(0, random(signature.length)) + String.fromCharCode(33 + random(90));
      if (bent !== signature)
        expect(openSimpleSigning(Buffer.from(payload), bent, [cosignKey])).toHaveProperty('fault');
    }
  });
});

describe('a public key', () => {
  it.each([
    ['nothing', ''],
    ['words', 'not a key'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n'],
    ['two keys', `${madeByCosign.publicKey}${madeByCosign.publicKey}`],
    ['a key with its middle gone', madeByCosign.publicKey.replace('qPPst1DVK7', '')],
  ])('is not %s', (_, text) => {
    expect(readPublicKey(text)).toBeUndefined();
  });
  it('of cosign is one, and is the same whatever surrounds it', () => {
    expect(readPublicKey(`\n${madeByCosign.publicKey}\n\n`)).toEqual(readPublicKey(madeByCosign.publicKey));
    expect(readPublicKey(madeByCosign.publicKey)?.kind).toBe('ecdsa-p256');
  });
});
