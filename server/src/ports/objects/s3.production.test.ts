import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { startS3, type TestS3 } from '../../testing/servers/s3.ts';
import { objectsConformance } from './conformance.ts';
import { openObjects } from './open.ts';
import { openS3Objects } from './s3.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.089Z'));

objectsConformance('s3', clock, async () => {
  const server = await startS3();
  await server.createBucket('objects');
  const config = { kind: 's3', bucket: 'objects', ...server.access } as const;
  return {
    config,
    open: () => openObjects(config, { clock }),
    breakDown: () => server.kill(),
    recover: () => server.start(),
    close: () => server.close(),
  };
});

describe('objects in S3', () => {
  let server: TestS3;
  beforeAll(async () => {
    server = await startS3();
    await server.createBucket('shared');
  });
  afterAll(() => server?.close());

  it('are an outage, not absent, when the bucket is missing or the credentials are wrong', async () => {
    const nowhere = openS3Objects({ ...server.access, bucket: 'no-such-bucket' });
    await expect(nowhere.check()).rejects.toThrow();
    await expect(nowhere.get('key')).rejects.toThrow();
    await nowhere.close();
    const stranger = openS3Objects({ ...server.access, bucket: 'shared', secretAccessKey: 'wrong' });
    await expect(stranger.check()).rejects.toThrow();
    await expect(stranger.get('key')).rejects.toThrow();
    await stranger.close();
  });

  it('are told apart from what somebody else put into the bucket', async () => {
    const client = new S3Client({ ...server.access, forcePathStyle: true, credentials: server.access });
    await client.send(new PutObjectCommand({ Bucket: 'shared', Key: 'foreign', Body: 'x' }));
    client.destroy();
    const objects = openS3Objects({ ...server.access, bucket: 'shared' });
    await expect(objects.get('foreign')).rejects.toThrow('not put into the bucket by this store');
    await expect(objects.facts('foreign')).rejects.toThrow('not put into the bucket by this store');
    await objects.close();
  });
});
