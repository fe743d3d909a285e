import { readFileSync } from 'node:fs';

/** A commit's first line is a sentence without its full stop, short enough for a list, about the product. Its body says why. */
export function judgeMessage(text: string): string[] {
  const [first = '', second = '', ...body] = text.split('\n').filter((line) => !line.startsWith('#'));
  const findings: string[] = [];
  if (first.trim().length < 10) findings.push('say in a few words what the product gains');
  if (first.length > 120) findings.push(`the first line has ${first.length} characters; 120 fit`);
  if (/\.\s*$/.test(first)) findings.push('the first line is a title: no full stop');
  if (/^(?:wip|fixup!|squash!)/i.test(first)) findings.push('finish it first');
  if (second.trim() !== '') findings.push('leave the second line empty');
  if (body.join('').trim() === '') findings.push('say in the body why: what was wrong or missing before');
  return findings;
}

if (import.meta.main) {
  const findings = judgeMessage(readFileSync(process.argv[2] ?? '', 'utf8'));
  for (const finding of findings) process.stderr.write(`commit message: ${finding}\n`);
  if (findings.length > 0) process.exitCode = 1;
}
