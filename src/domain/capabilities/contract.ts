/** What a row's contract says (spec §2.6), and whom and what it takes to call it. */
export type Authority = 'none' | 'share' | 'owner';
export type Risk = 'low' | 'high';

export interface Contract {
  readonly what: string;
  readonly when: string;
  /** A body that works as it stands; where it names what only the ledger knows, `<such>` places are replaced first (`example.ts`). */
  readonly example: string;
}
