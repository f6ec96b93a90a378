/** Every projection of the product, and the one projector that makes them from ledger entries. */
import type { Event, Projection, Schema } from '../engine/act.ts';
import { activityTable } from './articles/activity.ts';
import { mentionTable } from './articles/mentions.ts';
import { notificationTables, projectNotification } from './notifications/targets.ts';
import { linkTable, projectLinkChecks } from './articles/link-checks.ts';
import { projectArticle } from './articles/project-article.ts';
import { articleTables } from './articles/tables.ts';
import { certificateTable, certifiedTable, projectCertificate } from './certificates/certify.ts';
import { conformanceTables } from './capabilities/conformance.ts';
import { projectInvocation } from './capabilities/invocation.ts';
import { projectCapability } from './capabilities/life-cycle.ts';
import { capabilityTables } from './capabilities/tables.ts';
import { directoryTables } from './directory/tables.ts';
import { projectDirectory } from './directory/write-row.ts';
import { discourseTables, projectDiscourse } from './discourse/thread.ts';
import { claimFactTable, projectClaimFacts } from './query/claim-facts.ts';
import { projectWebhook, webhookTable } from './webhook/secret.ts';
import { mirrorTables, projectMirror } from './mirror/tables.ts';
import { leaseTable, projectLease } from './jobs/lease.ts';
import { projectLandscape } from './landscape/project.ts';
import { landscapeTables } from './landscape/tables.ts';
import { paperTables, projectPaper } from './paper/grow.ts';
import { projectResolution, resolutionTable } from './mirror/resolution.ts';
import { projectQuestions, questionTables } from './questions/state.ts';
import { type LaterMembers, laterMembers, upcast } from './upcast.ts';
import { projectWaiting, waitingTable } from './waiting/queue.ts';
import { projectWorkspace, workspaceTable } from './workspaces/write-workspace.ts';

export const schema: Schema = {
  version: 1,
  tables: [
    ...articleTables,
    activityTable,
    mentionTable,
    linkTable,
    leaseTable,
    ...mirrorTables,
    resolutionTable,
    claimFactTable,
    webhookTable,
    ...discourseTables,
    ...questionTables,
    ...capabilityTables,
    ...conformanceTables,
    ...directoryTables,
    ...paperTables,
    ...landscapeTables,
    certifiedTable,
    certificateTable,
    workspaceTable,
    waitingTable,
    ...notificationTables,
  ],
  laterMembers,
  project,
};

/** Makes the rows of one event. */
export function project(stored: Event, to: Projection, later?: LaterMembers): void {
  const event = upcast(stored, later);
  projectWaiting(event, to);
  projectArticle(event, to);
  projectLinkChecks(event, to);
  projectLease(event, to);
  projectMirror(event, to);
  projectResolution(event, to);
  projectClaimFacts(event, to);
  projectWebhook(event, to);
  projectDiscourse(event, to);
  projectQuestions(event, to);
  projectCapability(event, to);
  projectInvocation(event, to);
  projectDirectory(event, to);
  projectPaper(event, to);
  projectLandscape(event, to);
  projectCertificate(event, to);
  projectWorkspace(event, to);
  projectNotification(event, to);
}
