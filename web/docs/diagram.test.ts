import { describe, expect, it } from 'vitest';
import { showDiagram } from './diagram.ts';

const told = (text: string) =>
  (showDiagram(text) ?? '')
    .replaceAll('</li>', '\n')
    .replaceAll(/<[^>]+>/g, '')
    .trim();

describe('a diagram', () => {
  it('of messages is told in their order, with notes between', () => {
    const text =
      'sequenceDiagram\n  participant Api\n  Caller->>Api: create <b>\n  Note over Api: one transaction: done\n  Api-->>Worker: requested';
    expect(told(text)).toBe('Caller → Api create &lt;b&gt;\none transaction: done\nApi → Worker requested');
    expect(showDiagram(text)).toContain('class="arrow loose"');
  });

  it('of a flow calls things by their labels, wherever those are written, and follows chains', () => {
    const text =
      'flowchart TD\n  ask([request]) --> mount\n  subgraph mount [one mount]\n    direction TB\n    a[limits] --> b[who, whose] --> c\n  end\n  mount -->|committed| answer([answer])\n  mount -.-> log[("the log (of it)")]';
    expect(told(text).split('\n')).toEqual([
      'request → one mount',
      'limits → who, whose',
      'who, whose → c',
      'one mount → answer committed',
      'one mount → the log (of it)',
    ]);
  });

  it('of states begins and ends', () => {
    expect(told('stateDiagram-v2\n  [*] --> on\n  on --> off: press\n  off --> [*]')).toBe(
      'As arrowsbegin → on\non → off press\noff → end',
    );
  });

  it('of another kind is left as it was written', () => expect(showDiagram('pie\n  "a": 1')).toBeUndefined());
});
