import { afterEach, describe, expect, it, vi } from 'vitest';
import { armFailpoints, disarmFailpoints, failpoint } from './failpoint.ts';

afterEach(() => {
  disarmFailpoints();
  vi.restoreAllMocks();
});
const settled = async (promise: Promise<void> | undefined) => {
  let state = 'pending';
  promise?.then(
    () => {
      state = 'done';
    },
    () => {
      state = 'failed';
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
};

describe('a failpoint', () => {
  it('costs nothing where none is armed', () => {
    expect(failpoint('write.before-commit')).toBeUndefined();
    armFailpoints('write.after-commit=fail');
    expect(failpoint('write.before-commit')).toBeUndefined();
  });

  it('fails once, at the passage that was asked for', async () => {
    armFailpoints('write.before-commit=fail:3');
    expect(failpoint('write.before-commit')).toBeUndefined();
    expect(failpoint('write.before-commit')).toBeUndefined();
    await expect(failpoint('write.before-commit')).rejects.toThrow('failpoint write.before-commit');
    expect(failpoint('write.before-commit')).toBeUndefined();
  });

  it('may be armed for one thing that passes, among others', async () => {
    armFailpoints('write.before-commit@project.create=fail:2');
    expect(failpoint('write.before-commit', 'project.update')).toBeUndefined();
    expect(failpoint('write.before-commit', () => ['project.remove', 'project.create'])).toBeUndefined();
    const second = failpoint('write.before-commit', () => ['project.remove', 'project.create']);
    await expect(second).rejects.toThrow('failpoint write.before-commit@project.create');
  });

  it('is there for later when none is armed yet', () => {
    armFailpoints('none');
    expect(failpoint('write.before-commit')).toBeUndefined();
  });

  it('stalls for ever', async () => {
    armFailpoints('http.before-response=stall,relay.after-publish=fail');
    expect(await settled(failpoint('http.before-response'))).toBe('pending');
    expect(await settled(failpoint('relay.after-publish'))).toBe('failed');
  });

  it('kills the process without a farewell, and does not go on', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    armFailpoints('consumer.after-effect=kill');
    expect(await settled(failpoint('consumer.after-effect'))).toBe('pending');
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
  });

  it.each([
    'nowhere=fail',
    'write.before-commit=explode',
    'write.before-commit',
    'write.before-commit=fail:x',
    'write.before-commit=fail:0',
  ])('is refused when it is not understood: %s', (spec) =>
    expect(() => armFailpoints(spec)).toThrow(/is no |there is no /),
  );
});
