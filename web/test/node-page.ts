import type { Page } from 'playwright-core';

/** A button of the page of a node. Those that change the node ask for a reason first. */
export async function pressNode(page: Page, label: string, reason?: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).click();
  if (reason === undefined) return;
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** A button of the dialog of one GPU, by the index of its slot. */
export async function pressSlot(page: Page, label: string, index: number, reason: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^GPU ${index}\\b`) }).click();
  const dialog = page.getByRole('dialog', { name: `GPU ${index}` });
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
