import { describe, expect, it } from 'vitest';
import { rehearse } from '../../testing.ts';

const ask = async (flags: readonly string[], ...messages: readonly object[]) => {
  const stdin = messages.map((message, id) => JSON.stringify({ jsonrpc: '2.0', id, ...message })).join('\n');
  const script = {
    'GET /api/v1/me': { id: 'u', posix: { username: 'u1' }, platform_roles: [], organizations: [] },
    'GET /api/v1/catalog': { data: [], has_more: false, next_cursor: null },
    'GET /api/v1/catalog/h200': {
      refused: 404,
      body: { code: 'sku_not_found', message: 'None.', correlation_id: 'c-1' },
    },
  };
  const { out, code } = await rehearse(['mcp', 'serve', ...flags], script, { stdin });
  expect(code).toBe(0);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const read = (line: string): any => JSON.parse(line);
  return out.trim().split('\n').map(read);
};

describe('gpuaas mcp serve', () => {
  it('offers what only looks, and changes when they were allowed', async () => {
    const [hello, looks] = await ask([], { method: 'initialize', params: {} }, { method: 'tools/list' });
    expect(hello.result.serverInfo.name).toBe('gpuaas');
    const names = (reply: { result: { tools: { name: string }[] } }) => reply.result.tools.map(({ name }) => name);
    expect(names(looks)).toEqual(expect.arrayContaining(['status', 'why', 'alloc_list', 'ops_node_list']));
    for (const change of ['launch', 'release', 'ops_node_drain', 'api']) expect(names(looks)).not.toContain(change);
    const [all] = await ask(['--allow-changes'], { method: 'tools/list' });
    expect(names(all)).toEqual(expect.arrayContaining(['launch', 'release']));
    expect(names(all)).not.toContain('api');
  });

  it('runs a tool, and says what went wrong as the command would', async () => {
    const call = (name: string, input: object) => ({ method: 'tools/call', params: { name, arguments: input } });
    const [me, absent, refused, unknown] = await ask(
      [],
      call('whoami', {}),
      call('sku_get', { sku: 'h200' }),
      call('launch', { sku: 'h200' }),
      { method: 'nope' },
    );
    expect(JSON.parse(me.result.content[0].text)).toMatchObject({ id: 'u' });
    expect(absent.result).toMatchObject({ isError: true });
    expect(absent.result.content[0].text).toContain('Correlation id: c-1');
    expect(refused.error.message).toBe('There is no tool launch.');
    expect(unknown.error.code).toBe(-32_601);
  });
});
