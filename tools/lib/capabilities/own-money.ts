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
        words:
          'Organizations pay ahead by default; a launch holds money that is given back as usage is charged, and two launches cannot spend a balance twice',
        by: {
          'server/src/domains/billing/quotes/pay-ahead.db.test.ts': [
            'is the default of a new installation',
            'does not come with an upgrade where organizations paid later before',
          ],
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
          'server/src/domains/billing/proof.db.test.ts': ['and charges the cap and no more'],
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
          'server/test/money/outside-readers.production.test.ts': [
            'as Parquet has the rows and sums of the CSV, as another reader sees it',
          ],
        },
        lacks: 'a FOCUS file checked by a validator',
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
          'server/src/domains/invoicing/tax/ids.test.ts': [
            'is known for each country of the table of rates',
            'is taken with its check digits, and refused with others',
          ],
        },
        lacks: 'countries outside the table of rates, and a look whether a tax id is registered',
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
          [t.mailQueue]: [
            'ends mails of that kind without a sign-in; opening the page changes nothing',
            'about payments that failed, went back or are disputed say what became of the money',
          ],
        },
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
      { id: 'OWN-30', words: 'Cards are kept and top up a balance by themselves', sameAs: 'OWN-34' },
      { id: 'OWN-31', words: 'Corrections of the ledger need a second approval', sameAs: 'OWN-36' },
      { id: 'OWN-32', words: 'Organizations have price books of their own', sameAs: 'OWN-36' },
      {
        id: 'OWN-33',
        words:
          'The console says what a launch does to balance, runway and budgets, and what happens while a balance falls',
        by: {
          [t.consoleMoney]: [
            'says the locked price, hold, balance and runway; a cap ends it, and one that is too low is refused',
            'leads from a launch that the balance does not cover to the top-up',
            'makes, changes and removes a budget, whose hard threshold the launch page knows',
            'shows the balance, and a payment wakes every open page',
          ],
          'web/test/cards.production.test.ts': [
            'is entered on the page of the provider, tops up automatically, and is removed',
          ],
          'web/test/finance.production.test.ts': ['sees no workloads, and support sees no cards, payments or accounts'],
          [t.ladder]: ['tells what was released for lack of money and what it had cost'],
        },
      },
      {
        id: 'OWN-34',
        words: 'Saved cards, and automatic top-ups that are charged once for a crossing',
        by: {
          [t.cards]: [
            'are saved on the page of the provider, listed, made the default and removed',
            'is charged once for a crossing, by however many workers, and again for the next one',
            'that was killed before or after the charge is finished once',
            'that is declined is tried again with growing waits, and turned off in the end',
            'that the bank wants confirmed waits on a page, and is credited when it is paid there',
          ],
        },
      },
      {
        id: 'OWN-35',
        words: 'New payers have limits that grow; late refunds become credit',
        by: {
          [t.cards]: ['bound a day and a month, say what is left, and grow with payments that have settled'],
          [t.payments]: ['becomes credit after the window: what was spent, in parts, never more than was paid'],
        },
      },
      {
        id: 'OWN-36',
        words:
          'A large correction or grant needs a second person; prices can be negotiated; past-due invoices refuse launches',
        by: {
          [t.adjustments]: [
            'is not given by one person, neither at once nor in parts of a day',
            'waits for a second person, is given once, and expires as other credit does',
            'above the limit waits for another person, and is entered once',
            'cannot be split into small ones by one person',
            'is what quotes and launches of its organization pay, until it ends; what runs keeps its price',
            'does not help while an invoice is past due',
          ],
        },
      },
      {
        id: 'OWN-38',
        words: 'Credit expires, is burned soonest first, and is never refunded',
        by: {
          'server/src/domains/billing/credit/burn.test.ts': [
            'that expires soonest is used first, then what is older, and what never expires last',
            'is counted in parts as it is counted at once',
          ],
          'server/src/domains/billing/credit/credit.db.test.ts': [
            'is burned soonest first, and what is left of it at its end leaves the balance once',
            'never goes back to a payer, also where the payment was spent before',
          ],
        },
      },
    ],
  },
];
