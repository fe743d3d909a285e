import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emitPythonSdk } from './python.ts';
import { toCall } from './python-sync.ts';
import { type OpenApi, operationsOf } from './schema.ts';

const document = JSON.parse(readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8')) as OpenApi;

describe('the Python SDK', () => {
  it('has every operation to call and to await, and an exception for every code', () => {
    const files = emitPythonSdk(document);
    const callOf = (id: string) => `"${id}", {`;
    for (const { id } of operationsOf(document)) {
      expect(files.get('api.py'), id).toContain(callOf(id));
      expect(files.get('async_api.py'), id).toContain(callOf(id));
    }
    for (const code of Object.keys(document['x-gpuaas-errors'])) {
      expect(files.get('errors.py')).toContain(`    code = "${code}"\n`);
    }
    expect(files.get('api.py')).not.toMatch(/\b(?:async|await|Async\w+)\b/);
  });

  it('names no method with a word that Python keeps for itself', () => {
    const files = emitPythonSdk(document);
    expect(files.get('async_api.py')).toContain('def raise_(');
    expect(files.get('api.py')).not.toMatch(/def (?:raise|return|try|with|yield|import|del|pass|lambda)\(/);
  });

  it('makes of what is awaited what is called', () => {
    const awaited = `import asyncio
class AsyncThing:
    # to await only:
    def __await__(self) -> None: ...
    # end

    async def wait(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> AsyncIterator[int]:
        async with self as it:
            async for each in it.aiter_text():
                yield await it.of(each)

    async def __aexit__(self) -> None:
        await self.aclose()
`;
    expect(toCall(awaited)).toBe(`import time
class Thing:
    def wait(self, sleep: Callable[[float], None] = time.sleep) -> Iterator[int]:
        with self as it:
            for each in it.iter_text():
                yield it.of(each)

    def __exit__(self) -> None:
        self.close()
`);
  });
});
