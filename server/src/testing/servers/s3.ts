import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { freePort, goProgram, startServer, type TestServer } from './start.ts';

export interface TestS3 extends TestServer {
  readonly access: {
    readonly endpoint: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  createBucket(name: string): Promise<void>;
  /** The keys of a bucket. */
  list(bucket: string): Promise<string[]>;
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
  const withClient = async <T>(ask: (client: S3Client) => Promise<T>): Promise<T> => {
    const client = new S3Client({
      region: access.region,
      endpoint: access.endpoint,
      forcePathStyle: true,
      credentials: access,
    });
    try {
      return await ask(client);
    } finally {
      client.destroy();
    }
  };
  return {
    ...server,
    access,
    async createBucket(name) {
      await withClient((client) => client.send(new CreateBucketCommand({ Bucket: name })));
    },
    async list(bucket) {
      const { Contents = [] } = await withClient((client) => client.send(new ListObjectsV2Command({ Bucket: bucket })));
      return Contents.flatMap(({ Key }) => Key ?? []);
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
