/**
 * The pages' door (contract §8): reads a request, asks the application, serves bytes. Pages show what anybody
 * may see and take no credential; those of published state are kept by stamp and shared by caches.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { viewArticle, viewDiv } from '../../app/article-view.ts';
import { articleStamp, listArticles, loadArticle, seeArticle, type Seen } from '../../app/articles.ts';
import { explain } from '../../app/explain.ts';
import { viewLog } from '../../app/log-view.ts';
import { nearestKeys } from '../../app/nearest.ts';
import { confirmationOf } from '../../app/receipts.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sendBytes, type CachedBytes } from '../http/cached-bytes.ts';
import { privateCache } from '../http/envelope.ts';
import type { Intake } from '../http/intake.ts';
import { statusOf } from '../http/statuses.ts';
import { articlePage } from './article-page.tsx';
import { capabilityPage, type Explained } from './capability-page.tsx';
import { claimPage } from './claim-page.tsx';
import { directoryPage, rowPage } from './directory-pages.tsx';
import { divPage, layoutOfOne } from './div-page.tsx';
import { errorPage } from './error-page.tsx';
import { homePage, type ListedArticle } from './home-page.tsx';
import { logPage } from './log-page.tsx';
import { PageCache, type MadePage } from './page-cache.ts';
import { protocolPage } from './protocol-page.tsx';
import { receiptPage, type Confirmation } from './receipt-page.tsx';
import { RenderPool } from './render-pool.ts';
import { siteOf, type Site } from './site.ts';
import { verifyPage } from './verify-page.tsx';
