import { type Static, Type } from 'typebox';

/**
 * One connection for all calls of a node. HTTP/1.1 answers in order, so a long poll for work keeps
 * its connection to itself, and a node that also reports needs a second one; at ten thousand nodes the second one is
 * half of what the control plane holds. A node therefore upgrades the connection: it opens
 * `GET /internal/v1/nodes/line` with `Upgrade: gpuaas-line`, and after 101 each side writes JSON texts, one a line.
 * A node writes calls, the same that HTTP would carry, each with a number; each gets one answer, in any order.
 * A server without this protocol answers 404, and the node goes on over HTTP.
 */
export const lineProtocol = 'gpuaas-line';

/** In bytes. A result is the longest message, and its call is a little longer. */
export const longestLine = 600_000;

export const LineCall = Type.Object(
  {
    id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    method: Type.Enum(['GET', 'POST']),
    path: Type.String({ maxLength: 300 }),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z-]{1,64}$' }), Type.String({ maxLength: 8_000 }), { maxProperties: 8 }),
    ),
    body: Type.Optional(Type.Unknown()),
  },
  { $id: 'LineCall', additionalProperties: false },
);
export type LineCall = Static<typeof LineCall>;

export const LineAnswer = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    retry_after: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds to wait before the next call.' })),
    body: Type.Optional(Type.Unknown()),
  },
  { $id: 'LineAnswer' },
);
export type LineAnswer = Static<typeof LineAnswer>;

const newline = 10;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Takes chunks of bytes and passes whole lines on. Returns false, for good, once a line exceeds the limit. */
export function makeLineReader(onLine: (line: string) => void): (chunk: Uint8Array) => boolean {
  let begun: Uint8Array[] = [];
  let heldBytes = 0;
  const keep = (piece: Uint8Array): boolean => {
    heldBytes += piece.length;
    begun.push(piece);
    return heldBytes <= longestLine;
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      if (!keep(chunk.subarray(from, end))) return false;
      const line = begun.map((piece) => utf8.decode(piece, { stream: true })).join('') + utf8.decode();
      begun = [];
      heldBytes = 0;
      from = end + 1;
      onLine(line);
    }
    return from === chunk.length || keep(chunk.subarray(from));
  };
}
