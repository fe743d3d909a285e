import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as it arrived. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  /** `service.name` of whoever sent it. */
  readonly service: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}
export interface Collector {
  /** What `GPUAAS_OTLP_ENDPOINT` takes. */
  readonly url: string;
  spans(): readonly CollectedSpan[];
  /** Requests that are not OTLP over HTTP, in the words of why. */
  wrong(): readonly string[];
  close(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes: readonly KeyValue[];
      }[];
    }[];
  }[];
}

/** Receives traces as a collector does: OTLP 1.x over HTTP, encoded as JSON, on /v1/traces. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const wrong: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isExport = request.method === 'POST' && request.url === '/v1/traces';
    if (!isExport || request.headers['content-type'] !== 'application/json') {
      wrong.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
      response.writeHead(400).end();
      return;
    }
    try {
      spans.push(...read((await json(request)) as ExportRequest));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    } catch (error) {
      wrong.push(String(error));
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => wrong.push(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans: () => spans,
    wrong: () => wrong,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span): CollectedSpan => {
        must(/^[0-9a-f]{32}$/.test(span.traceId), 'traceId is 32 hex digits');
        must(/^[0-9a-f]{16}$/.test(span.spanId), 'spanId is 16 hex digits');
        must(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), 'a span ends after it began');
        const { 'service.name': service } = plain(resource.attributes);
        return {
          name: span.name,
          traceId: span.traceId,
          parentSpanId: span.parentSpanId,
          service: service === undefined ? undefined : String(service),
          attributes: plain(span.attributes),
        };
      }),
    ),
  );
}

const plain = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not OTLP: ${what}`);
}
