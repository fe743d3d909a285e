import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type DocumentContent, showMoney } from '@gpuaas/contract';
import PDFDocument from 'pdfkit';
import { layout, linesInTurn } from './facts.ts';
import { loadFont } from './font.ts';

/** What draws, with the versions that decide about bytes. A test compares it with the version that is installed. */
export const renderer = 'gpuaas-1 pdfkit-0.20.2';

const titles = { invoice: 'Invoice', credit_note: 'Credit note', receipt: 'Receipt', statement: 'Statement' } as const;
type Pdf = InstanceType<typeof PDFDocument>;

/**
 * The same content gives the same bytes: the only date in the file is that of the document, and nothing is compressed, so no
 * version of a compressor shows.
 */
export async function renderPdf(content: DocumentContent): Promise<Buffer> {
  const title = `${titles[content.kind]} ${content.number}`;
  const pdf = new PDFDocument({
    ...{ size: 'A4', margin: layout.margin, compress: false, lang: 'en', font: loadFont('Regular') as never },
    info: {
      ...{ Title: title, Producer: 'GPUaaS', Creator: 'GPUaaS' },
      CreationDate: new Date(`${content.issued_on}T00:00:00Z`),
    },
  });
  const parts: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(Buffer.concat(parts)));
    pdf.on('error', reject);
  });
  pdf.registerFont('text', loadFont('Regular')).registerFont('strong', loadFont('Medium'));
  drawHead(pdf, content, title);
  await drawLines(pdf, content);
  drawSums(pdf, content);
  pdf.end();
  return whole;
}
export const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

type Party = DocumentContent['customer'];
const partyLines = (party: Party): string[] => [
  ...[party.legal_name, ...party.address_lines],
  [party.postal_code, party.city].filter((part) => part !== null).join(' '),
  ...[party.country ?? '', party.tax_id === null ? '' : `Tax id ${party.tax_id}`],
];
function drawParty(pdf: Pdf, heading: string, party: Party, x: number, y: number): number {
  const width = layout.columnWidth;
  pdf.font('strong').fontSize(layout.small).text(heading, x, y, { width });
  pdf.font('text').fontSize(layout.body);
  for (const line of partyLines(party).filter((each) => each !== '')) pdf.text(line, { width });
  return pdf.y;
}
function drawHead(pdf: Pdf, content: DocumentContent, title: string): void {
  pdf.font('strong').fontSize(layout.title).text(title);
  pdf.font('text').fontSize(layout.body);
  const facts = [
    `Date ${content.issued_on}`,
    content.period && `Period ${content.period.from} to ${lastDay(content.period.to)} (UTC)`,
    content.due_on && `Payable until ${content.due_on}`,
    content.refers_to && `Refers to ${content.refers_to}`,
  ];
  for (const fact of facts) if (fact) pdf.text(fact);
  const y = pdf.y + layout.gap;
  const ends = [drawParty(pdf, 'For', content.customer, layout.margin, y)];
  if (content.seller) ends.push(drawParty(pdf, 'From', content.seller, layout.secondColumn, y));
  pdf.x = layout.margin;
  pdf.y = Math.max(...ends) + layout.gap;
}
/** Periods end before their second day. */
const lastDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - layout.dayMs).toISOString().slice(0, day.length);

function drawRow(pdf: Pdf, cells: readonly [string, string, string], isStrong = false): void {
  const [text, middle, amount] = cells;
  pdf.font(isStrong ? 'strong' : 'text').fontSize(layout.body);
  const height = pdf.heightOfString(text, { width: layout.textWidth });
  if (pdf.y + height > layout.bottom) pdf.addPage();
  const { y } = pdf;
  pdf.text(text, layout.margin, y, { width: layout.textWidth });
  const end = pdf.y;
  pdf.text(middle, layout.middle, y, { width: layout.middleWidth, align: 'right' });
  pdf.text(amount, layout.amount, y, { width: layout.amountWidth, align: 'right' });
  pdf.x = layout.margin;
  pdf.y = Math.max(end, y + height) + layout.rowGap;
}
/** Drawing is work of the processor alone: other requests get a turn between some lines. */
async function drawLines(pdf: Pdf, content: DocumentContent): Promise<void> {
  const money = (amount: string) => showMoney(BigInt(amount), content.currency);
  drawRow(pdf, ['Description', 'Quantity and price', 'Amount'], true);
  for (const [n, line] of content.lines.entries()) {
    if (n % linesInTurn === 0) await setImmediate();
    drawRow(pdf, [
      `${line.day === null ? '' : `${line.day}  `}${line.text}`,
      line.quantity_ms === null ? '' : `${quantityOf(line.quantity_ms, line.unit ?? '')}${priceOf(line, content)}`,
      money(line.amount_minor),
    ]);
  }
  if (content.lines.length === 0) drawRow(pdf, ['Nothing was charged or credited.', '', money('0')]);
}
const units: Readonly<Record<string, string>> = { gpu_hour: 'GPU h', node_hour: 'node h', gib_hour: 'GiB h' };
/** Units that apps count, and for how many of them their price is. */
const counts: Readonly<Record<string, string>> = {
  ...{ unit: 'units, each', thousand_units: 'units, 1,000', million_units: 'units, 1,000,000' },
};
const quantityOf = (quantity: string, unit: string): string =>
  counts[unit] === undefined ? `${hours(quantity)} ${units[unit] ?? 'h'}` : `${quantity} ${counts[unit]}`;
const hours = (ms: string): string => {
  const milli = BigInt(ms) / layout.msPerMilliHour;
  const text = milli.toString().padStart(layout.hourDigits + 1, '0');
  return `${text.slice(0, -layout.hourDigits)}.${text.slice(-layout.hourDigits)}`;
};
const priceOf = ({ rate_micro }: DocumentContent['lines'][number], { currency }: DocumentContent): string =>
  rate_micro === null ? '' : ` at ${showRate(BigInt(rate_micro), currency)}`;
/** Prices of storage are finer than the smallest coin. */
function showRate(rateMicro: bigint, currency: string): string {
  const rest = rateMicro % layout.microPerMinor;
  const whole = showMoney(rateMicro / layout.microPerMinor, currency);
  if (rest === 0n) return whole;
  const [amount = '', code = ''] = whole.split(' ');
  const digits = rest.toString().padStart(layout.rateDigits, '0').replace(/0+$/, '');
  return `${amount}${amount.includes('.') ? '' : '.'}${digits} ${code}`;
}

function drawSums(pdf: Pdf, content: DocumentContent): void {
  const money = (amount: string) => showMoney(BigInt(amount), content.currency);
  pdf.y += layout.gap;
  const { tax, balance } = content;
  if (balance) {
    drawRow(pdf, ['Balance at the beginning', '', money(balance.opening_minor)]);
    drawRow(pdf, ['Balance at the end, before tax', '', money(balance.closing_minor)], true);
  }
  if (!tax) return;
  drawRow(pdf, ['Net', '', money(tax.net_minor)]);
  const percent = `${tax.rate_basis_points / layout.basisPointsPerPercent} %`;
  drawRow(pdf, [`Tax${tax.country === null ? '' : ` ${tax.country}`}`, percent, money(tax.tax_minor)]);
  drawRow(pdf, ['Total', '', money(tax.gross_minor)], true);
  if (tax.note !== null) pdf.font('text').fontSize(layout.small).text(tax.note);
}
