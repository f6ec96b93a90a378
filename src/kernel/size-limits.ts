/** How large what comes in may be (contract §4): the defaults, which a deployment can set otherwise. */

export interface SizeLimits {
  /** UTF-8 bytes of the body of one call; batches have their own. */
  readonly dispatchBytesMax: number;
  /** Bytes of a request. */
  readonly requestBytesMax: number;
  /** The same for a batch, and for what it holds. */
  readonly batchBytesMax: number;
  /** The same for a bundle that is imported. */
  readonly importBytesMax: number;
  /** UTF-8 bytes of an article's body. */
  readonly articleBytesMax: number;
  /** Current DIVs of an article. */
  readonly articleDivsMax: number;
  /** UTF-8 bytes of the text of an edited DIV. */
  readonly divBytesMax: number;
  /** Characters of public input: contributions, posts of a discourse, reasons of a vote. */
  readonly intakeCharsMax: number;
  /** Bytes of what a provider of images or videos answers. */
  readonly providerBytesMax: number;
}

export const sizeLimits: SizeLimits = {
  dispatchBytesMax: 262_144,
  requestBytesMax: 1_048_576,
  batchBytesMax: 8_388_608,
  importBytesMax: 67_108_864,
  articleBytesMax: 2_097_152,
  articleDivsMax: 10_000,
  divBytesMax: 65_536,
  intakeCharsMax: 8_000,
  providerBytesMax: 33_554_432,
};
