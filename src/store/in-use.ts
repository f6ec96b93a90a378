/** Another process owns the ledger: nothing was opened, and nothing changed. */
export class LedgerInUse extends Error {}
