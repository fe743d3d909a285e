import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, openInstallation, seriousFindings } from './in-browser.ts';

/** A shell in a real browser, on the simulated host: typed into, flooded, reloaded, taken over and ended. */
let here: Installation;
let allocation: string;
let project: { readonly project: string };
beforeAll(async () => {
  here = await openInstallation(['--bare']);
  const owner = await here.call('owner');
  const [organization] = (await owner.me.get()).organizations.filter(({ slug }) => slug === 'demo');
  const projects = await owner.projects.list({ organization_id: organization?.id ?? '' });
  project = { project: projects.data[0]?.id ?? '' };
  const made = await owner.allocations.create(
    { sku: 'h200-sxm-slice', gpus: 1, name: 'with-a-shell', region: 'local' },
    project,
  );
  allocation = made.id;
  const state = async () => (await owner.allocations.get({ allocation_id: allocation }, project)).state;
  await vi.waitUntil(async () => (await state()) === 'active', { timeout: 120_000, interval: 500 });
}, 300_000);
afterAll(() => here?.close(), 60_000);

const at = () => `${here.base}/allocations/${allocation}/terminal`;
const screenOf = (page: Page) => page.locator('[data-phase]:visible .xterm-rows');
const isLive = (page: Page) => page.locator('[data-phase="live"]:visible').waitFor();
/** Types a line and waits for what it prints; the pattern must not be in the line itself. */
async function run(page: Page, line: string, prints: RegExp): Promise<string> {
  await page.locator('.xterm-helper-textarea:visible, [data-phase]:visible textarea').first().focus();
  await page.keyboard.type(`${line}\n`);
  await expect.poll(() => screenOf(page).textContent(), { timeout: 45_000 }).toMatch(prints);
  return (await screenOf(page).textContent()) ?? '';
}
const pidIn = (text: string) => /shell-pid=(\d+)/.exec(text)?.[1];

describe('the terminal page', () => {
  it('opens a shell from the allocation, types, resizes and says that the GPUs are simulated', {
    timeout: 240_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/allocations/${allocation}`);
    await page.getByRole('link', { name: 'Open terminal' }).click();
    await isLive(page);
    expect(await run(page, 'echo $((40+2))-is-the-answer', /42-is-the-answer/)).toMatch(/simulated/i);
    await run(page, 'nvidia-smi -L', /GPU 0: NVIDIA H200/);
    const wide = await run(page, 'echo columns=$(tput cols)=', /columns=\d+=/);
    await page.setViewportSize({ width: 800, height: 600 });
    const narrow = await run(page, 'clear; echo narrow=$(tput cols)=', /narrow=\d+=/);
    expect(Number(/narrow=(\d+)=/.exec(narrow)?.[1])).toBeLessThan(Number(/columns=(\d+)=/.exec(wide)?.[1]));
    const findings = await seriousFindings(page);
    await context.close();
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('interrupts a flood, and finds the same shell after a reload', { timeout: 240_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(at());
    await isLive(page);
    const before = pidIn(await run(page, 'echo shell-pid=$$', /shell-pid=\d+/));
    await page.keyboard.type('yes flooding\n');
    await expect.poll(() => screenOf(page).textContent()).toMatch(/(?:flooding){3}/);
    await page.keyboard.press('Control+c');
    await run(page, 'clear; echo $((1+1))-after-the-flood', /2-after-the-flood/);
    await page.reload();
    await isLive(page);
    expect(pidIn(await run(page, 'clear; echo shell-pid=$$', /shell-pid=\d+/))).toBe(before);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('asks in a second tab: read only first, then it takes over and the first tab says so', {
    timeout: 240_000,
  }, async () => {
    const first = await here.enter('owner');
    await first.page.goto(at());
    await isLive(first.page);
    const pid = pidIn(await run(first.page, 'clear; echo shell-pid=$$', /shell-pid=\d+/));
    const session = await currentSession();
    const second = await here.enter('owner');
    const address = `${at()}?session=${session}`;
    await expect
      .poll(async () => (await sessions()).find(({ id }) => id === session)?.has_writer, { timeout: 45_000 })
      .toBe(true);
    await second.page.goto(address);
    const asked = second.page.getByRole('region', { name: 'This shell is open in another place' });
    await asked.getByRole('button', { name: 'Open read-only' }).click();
    await second.page.getByText('Read-only: another connection types.').waitFor();
    await run(first.page, 'echo seen-by-$((1+1))', /seen-by-2/);
    await expect.poll(() => screenOf(second.page).textContent()).toMatch(/seen-by-2/);
    await second.page.goto(here.base);
    await second.page.evaluate('sessionStorage.clear()');
    await second.page.goto(address);
    await asked.getByRole('button', { name: 'Take over' }).click();
    await isLive(second.page);
    await first.page.getByText('You opened this terminal in another place, which has taken it over.').waitFor();
    expect(pidIn(await run(second.page, 'clear; echo shell-pid=$$', /shell-pid=\d+/))).toBe(pid);
    await first.context.close();
    await second.context.close();
  });

  it('asks before it pastes many lines, ends the shell, and operators see and end sessions', {
    timeout: 240_000,
  }, async () => {
    const { context, page } = await here.enter('owner');
    await page.goto(at());
    await isLive(page);
    await page.evaluate(`
      const data = new DataTransfer();
      data.setData('text/plain', 'echo a\\necho b\\necho c\\necho d\\necho e\\necho f-$((3+4))\\n');
      document.querySelector('.xterm-helper-textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    `);
    const asked = page.getByRole('dialog', { name: 'Paste 7 lines?' });
    await asked.getByRole('button', { name: 'Paste' }).click();
    await expect.poll(() => screenOf(page).textContent()).toMatch(/echo f-/);
    const operator = await here.enter('operator');
    await operator.page.goto(`${here.base}/ops/terminal-sessions?live=true`);
    await operator.page.getByRole('button', { name: 'End' }).first().click();
    await operator.page.getByLabel('Reason').fill('a test of ending');
    await operator.page.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('An operator or an administrator has ended this session.').waitFor();
    await operator.context.close();
    await context.close();
  });
});

const sessions = async () =>
  (await (await here.call('owner')).terminals.sessionList({ allocation_id: allocation, live: true }, project)).data;
const currentSession = async () => (await sessions())[0]?.id ?? '';
