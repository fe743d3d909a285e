import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

/** What the product has about money and messages, and the described system does not. */
export const ownMoney: readonly CapabilityGroup[] = [
  {
    name: 'More about money and messages',
    rows: [
      {
        id: 'OWN-17',
        words: 'A top-up undoes each step of a falling balance, and races with the release have one outcome',
        by: {
          [t.ladderSteps]: ['is an edge of the machine, from every state, at every balance'],
          [t.ladder]: [
            'is left by a top-up, which is told and calls the release off',
            'comes first when it held the account first: nothing is released',
            'comes second when the decision held the account first',
            'has one outcome in any order: released by a balance that was spent, or not at all',
          ],
        },
      },
      {
        id: 'OWN-18',
        words: 'A quote keeps its price for ten minutes and one launch',
        by: {
          [t.quotes]: [
            'says the price, the hold, and what the launch does to balance and runway',
            'keeps its price for the launch that uses it, and is used once',
            'is used by one of several launches that come at once',
            'is refused when its time is up',
          ],
        },
      },
      {
        id: 'OWN-19',
        words: 'A launch holds money that is given back as usage is charged; two launches cannot spend a balance twice',
        by: {
          [t.quotes]: [
            'is placed by a launch, given back in parts as usage is charged, and never more than was held',
            'is given back when the allocation ends',
            'lets two launches that come at once spend a balance once',
          ],
        },
      },
      {
        id: 'OWN-20',
        words: 'An allocation can have a cap on what it costs',
        by: {
          [t.quotes]: [
            'ends the allocation with what it pays for, and shows both',
            'is kept by the billing-worker when nothing else ended the allocation',
          ],
        },
        lacks: 'a test in which the allocation ends whose release was asked for',
      },
      {
        id: 'OWN-21',
        words: 'Budgets by month, for an organization, a project, a person or a tag, warn or refuse launches',
        by: {
          [t.quotes]: [
            'with a hard threshold refuses launches and says everything that it counts',
            'with a soft threshold refuses nothing, and is told once a month',
            'for a project, a person or a tag counts what belongs to it alone',
          ],
        },
        lacks: 'pages of the console',
      },
      {
        id: 'OWN-22',
        words: 'Usage by hour, day and month adds up to the ledger, whatever it is grouped by, and has a forecast',
        by: {
          [t.usage]: [
            'adds up to the ledger by hour, day and month, whatever it is grouped by',
            'rests on 28 days, has a band around what is expected, and never falls below what was charged',
            'is unavailable where no host reported, and counts only what was observed',
          ],
          'server/src/domains/billing/usage/forecast-method.test.ts': ['follows the weekday'],
        },
      },
      {
        id: 'OWN-23',
        words:
          'Usage is exported as CSV, FOCUS 1.3 and Parquet; the ledger as a file that is verified without a server',
        by: {
          [t.usage]: [
            'has a row for each line as CSV, and adds up',
            'has every column of FOCUS 1.3, with amounts in major units',
            'is a Parquet file',
            'of the ledger is verified without the server, and its first wrong row is named',
          ],
        },
        lacks: 'a FOCUS file checked by a validator, and a Parquet file read by another program',
      },
      {
        id: 'OWN-24',
        words:
          'Receipts, statements, invoices and credit notes have numbers without gaps and are made again from the ledger',
        by: {
          [t.invoicing]: [
            'give a receipt for each payment, with its tax, once',
            'give a statement for each month that has ended, which adds up to the balance',
            'are drafted when the month has ended, and become final with a number by themselves',
            'that are void get a credit note over the same amounts',
            'have no gaps: a number that is not the next one is refused',
            'are made again from the ledger byte for byte, and a late entry shows',
          ],
        },
      },
      {
        id: 'OWN-25',
        words: 'Tax follows seller, customer and day, is paid beside the balance, and goes back with the payment',
        by: {
          'server/src/domains/invoicing/tax/decide.test.ts': [
            'a business of another country owes the tax itself',
            'takes the rate of the day',
            'rounds half up, and alike below zero',
          ],
          'server/src/domains/payments/tax.db.test.ts': [
            'is paid in addition to what goes to the balance, and goes back with the payment in parts',
            'is held with the payment while it is disputed, and goes back when the dispute is lost',
          ],
        },
        lacks: 'tax ids that are checked, and countries outside the table of rates',
      },
      {
        id: 'OWN-26',
        words: 'The role finance of an organization sees and pays the bills, and not what runs',
        by: {
          [t.usage]: ['is for owners, administrators and finance; a member sees the lines of the project'],
          [t.authorisation]: ['as the contract says'],
        },
      },
      {
        id: 'OWN-27',
        words: 'People choose what they are notified of and how; money and security are always mailed',
        by: {
          [t.inbox]: [
            'wait for what each person chose: hidden from the list, mailed each, once a day or not at all',
            'about money and security are always mailed: that choice is refused',
            'are hidden from a person who has left the organization',
          ],
          [t.mailQueue]: ['ends mails of that kind without a sign-in; opening the page changes nothing'],
        },
        lacks: 'notices of payments that failed, were sent back or are disputed',
      },
      {
        id: 'OWN-28',
        words: 'Events are posted to addresses of an organization, signed as Standard Webhooks says, and tried again',
        by: {
          [t.webhooks]: [
            'gets an event once, signed so that the library of Standard Webhooks accepts it',
            'is signed with the new and the former secret while they change',
            'is tried again with growing pauses, given up at last, and posted again on request',
            'is turned off when',
          ],
        },
      },
      {
        id: 'OWN-29',
        words: 'Webhooks reach public addresses only, whatever a name resolves to, and follow no redirect',
        by: {
          'server/src/ports/webhooks/addresses.test.ts': [
            'is refused: ',
            'is refused when one of the addresses of its name is not public, whatever the others are',
            'is allowed where the operator allows its network, and nowhere else',
          ],
          [t.webhooks]: ['is refused for an address that is not public, for one too many'],
          'server/src/ports/webhooks/guarded.production.test.ts': ['does not follow a redirect'],
        },
      },
      { id: 'OWN-30', words: 'Cards are kept and top up a balance by themselves', notBuilt: true },
      { id: 'OWN-31', words: 'Corrections of the ledger need a second approval', notBuilt: true },
      { id: 'OWN-32', words: 'Organizations have price books of their own', notBuilt: true },
    ],
  },
];
