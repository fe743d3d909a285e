import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort, goProgram, startServer, type TestServer } from './start.ts';

export interface TestS3 extends TestServer {
  readonly access: {
    readonly endpoint: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  createBucket(name: string): Promise<void>;
}

/**
 * A gateway that speaks S3 over a folder. It keeps metadata in extended attributes, which the file system of the
 * temporary folder must support: only then are an object's bytes and its metadata replaced in one step.
 */
export async function startS3(): Promise<TestS3> {
  const program = await goProgram('versitygw', 'github.com/versity/versitygw/cmd/versitygw', 'v1.8.0');
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-s3-'));
  const port = await freePort();
  const access = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'test-access',
    secretAccessKey: 'test-secret-of-some-length',
  };
  const server = await startServer({
    command: program,
    args: ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder],
    port,
    url: access.endpoint,
    env: { ROOT_ACCESS_KEY: access.accessKeyId, ROOT_SECRET_KEY: access.secretAccessKey },
  });
  return {
    ...server,
    access,
    async createBucket(name) {
      const client = new S3Client({
        region: access.region,
        endpoint: access.endpoint,
        forcePathStyle: true,
        credentials: access,
      });
      await client.send(new CreateBucketCommand({ Bucket: name }));
      client.destroy();
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
