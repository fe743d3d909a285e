import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The header of the PROXY protocol, version 2: a TCP proxy of ours writes it before the first byte of a client, and it names the address
 * of the client. Only listed proxies are asked for it, because every caller could write one.
 */
const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const headBytes = 16;
/** Addresses have 36 bytes at most, what proxies add about themselves a few hundred. */
const mostBytes = 2_048;
const proxied = 0x21;
const families: Readonly<Record<number, number>> = { 17: 4, 33: 16 };

/** The address of the client; undefined when the proxy wrote something else, or asks for itself. The rest stays in the socket. */
export async function takeProxyHeader(socket: Socket): Promise<string | undefined> {
  const head = await exactly(socket, headBytes);
  if (!head?.subarray(0, signature.length).equals(signature)) return undefined;
  const length = head.readUInt16BE(headBytes - 2);
  const bytes = families[head[13] ?? 0];
  if (length > mostBytes || head[12] !== proxied || bytes === undefined || length < bytes) return undefined;
  const body = await exactly(socket, length);
  return body && ipaddr.fromByteArray([...body.subarray(0, bytes)]).toString();
}

/** So many bytes; undefined when the socket ends before. */
function exactly(socket: Socket, count: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const settle = (bytes: Buffer | undefined) => {
      socket.off('readable', look);
      socket.off('close', leave);
      socket.off('end', leave);
      resolve(bytes);
    };
    const leave = () => settle(undefined);
    const look = () => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes !== null) settle(bytes.length === count ? bytes : undefined);
    };
    socket.on('readable', look);
    socket.once('close', leave);
    socket.once('end', leave);
    look();
  });
}
