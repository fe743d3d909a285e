import { expect, it } from 'vitest';
import { placeAt } from './places.ts';

const places = [{ to: '/apps' }, { to: '/apps/publishing' }, { to: '/app-instances' }];

it.each([
  ['/apps', '/apps'],
  ['/apps/demo/echo', '/apps'],
  ['/apps/publishing', '/apps/publishing'],
  ['/app-instances/1', '/app-instances'],
  ['/launch', undefined],
])('the page %s belongs to one place of the menu', (path, to) => {
  expect(placeAt(places, path)?.to).toBe(to);
});
