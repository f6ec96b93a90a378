/**
 * The families of secrets we know, one for each format or vendor, and the marks by which the prefilter and
 * the flood check recognise that one could be there (contract §5 "Secrets").
 */

/** One bit for each family, so that a text's suspicion is one small integer. */
export const family = {
  aws: 1 << 0,
  awsId: 1 << 1,
  privateKey: 1 << 2,
  npm: 1 << 3,
  url: 1 << 4,
  slack: 1 << 5,
  sendgrid: 1 << 6,
  shopify: 1 << 7,
  stripe: 1 << 8,
  github: 1 << 9,
  gitlab: 1 << 10,
  grafana: 1 << 11,
  openai: 1 << 12,
  anthropic: 1 << 13,
  groq: 1 << 14,
  huggingface: 1 << 15,
  linear: 1 << 16,
  notion: 1 << 17,
  onePassword: 1 << 18,
  vault: 1 << 19,
  vercel: 1 << 20,
  databricks: 1 << 21,
  docker: 1 << 22,
  figma: 1 << 23,
  cloudflare: 1 << 24,
  tailscale: 1 << 25,
  own: 1 << 26,
  authorization: 1 << 27,
  google: 1 << 28,
} as const;

/** Every family at once: what a scan without the prefilter looks for. */
export const everyFamily = (1 << 29) - 1;

/** The last character of each mark is its anchor: a `_`, `-` or `.`, which prose holds few of. */
export const marks: Readonly<Record<string, number>> = {
  npm_: family.npm,
  'oauth-': family.npm,
  'xoxa-': family.slack,
  'xoxb-': family.slack,
  'xoxo-': family.slack,
  'xoxp-': family.slack,
  'xoxr-': family.slack,
  'xapp-': family.slack,
  'SG.': family.sendgrid,
  shpat_: family.shopify,
  shpca_: family.shopify,
  shppa_: family.shopify,
  shpss_: family.shopify,
  sk_live_: family.stripe,
  sk_test_: family.stripe,
  rk_live_: family.stripe,
  rk_test_: family.stripe,
  gho_: family.github,
  ghp_: family.github,
  ghr_: family.github,
  ghs_: family.github,
  ghu_: family.github,
  github_pat_: family.github,
  'glpat-': family.gitlab,
  glc_: family.grafana,
  glsa_: family.grafana,
  'sk-': family.openai | family.anthropic,
  gsk_: family.groq,
  hf_: family.huggingface,
  lin_api_: family.linear,
  ntn_: family.notion,
  ops_: family.onePassword,
  'hvb.': family.vault,
  'hvr.': family.vault,
  'hvs.': family.vault,
  vca_: family.vercel,
  vci_: family.vercel,
  vck_: family.vercel,
  vcp_: family.vercel,
  vcr_: family.vercel,
  dckr_pat_: family.docker,
  figd_: family.figma,
  cfat_: family.cloudflare,
  cfk_: family.cloudflare,
  cfut_: family.cloudflare,
  'tskey-': family.tailscale,
  'sh.': family.own,
  ck_: family.own,
  tk_: family.own,
};

/** Any mark, to count them. */
export const markPattern = new RegExp(
  Object.keys(marks)
    .map((mark) => RegExp.escape(mark))
    .join('|'),
  'g',
);
