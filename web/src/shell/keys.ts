/**
 * Global keyboard shortcuts, disabled while a person types. A sequence of two, such as `g` then `a`, must be typed
 * within a second.
 */
type Listener = (event: KeyboardEvent) => void;
const wishes = new Map<string, Listener[]>();
let before: { readonly key: string; readonly at: number } | undefined;
const withinMs = 1_000;

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    const isHeld = event.ctrlKey || event.metaKey;
    const command = isHeld && event.key.toLowerCase() === 'k';
    // The submit shortcut works while typing too.
    if (isHeld && event.key === 'Enter' && !document.querySelector('[role="dialog"]')) {
      wishes.get('Control Enter')?.at(-1)?.(event);
      return;
    }
    if (!command && (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target))) return;
    if (!command && document.querySelector('[role="dialog"]')) return;
    const pair = before && event.timeStamp - before.at < withinMs ? `${before.key} ${event.key}` : undefined;
    const name = command ? 'command' : pair && wishes.has(pair) ? pair : event.key;
    before = { key: event.key, at: event.timeStamp };
    const listener = wishes.get(name)?.at(-1);
    if (!listener) return;
    event.preventDefault();
    before = undefined;
    listener(event);
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

/** The latest registration of a key wins until it is removed. */
export function onKey(key: string, listener: Listener): () => void {
  wishes.set(key, [...(wishes.get(key) ?? []), listener]);
  return () => {
    const left = (wishes.get(key) ?? []).filter((each) => each !== listener);
    if (left.length > 0) wishes.set(key, left);
    else wishes.delete(key);
  };
}
